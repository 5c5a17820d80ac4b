//! The lists of feeds that addresses have in common, each kept once under a number.

use std::collections::HashMap;

use crate::feed_id::FeedIndex;

/// The number of a list of feeds.
pub(super) type Label = u32;

/// The label of addresses in no feed.
pub(super) const NO_FEED: Label = 0;

/// Lists of feeds, sorted and without repetitions, by their label.
///
/// The number of lists does not grow with the number of prefixes but with the number of different
/// overlaps: a feed can at most double it.
#[derive(Debug, Clone)]
pub(super) struct Labels {
    lists: Vec<Box<[FeedIndex]>>,
}

impl Labels {
    #[inline]
    pub(super) fn feeds(&self, label: Label) -> &[FeedIndex] {
        self.lists.get(label as usize).map_or(&[], |list| list)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let feeds: usize = self.lists.iter().map(|list| list.len()).sum();
        feeds * size_of::<FeedIndex>() + self.lists.capacity() * size_of::<Box<[FeedIndex]>>()
    }
}

/// Gives equal lists the same label.
#[derive(Debug)]
pub(super) struct LabelBuilder {
    lists: Vec<Box<[FeedIndex]>>,
    by_list: HashMap<Box<[FeedIndex]>, Label>,
    /// The label of a list and one feed more. Without it, each prefix would build its list.
    by_addition: HashMap<(Label, FeedIndex), Label>,
}

impl LabelBuilder {
    pub(super) fn new() -> Self {
        let nothing: Box<[FeedIndex]> = Box::default();
        Self {
            lists: vec![nothing.clone()],
            by_list: HashMap::from([(nothing, NO_FEED)]),
            by_addition: HashMap::new(),
        }
    }

    /// The label of the list with `feed` added.
    pub(super) fn with_feed(&mut self, label: Label, feed: FeedIndex) -> Label {
        if let Some(known) = self.by_addition.get(&(label, feed)) {
            return *known;
        }
        let mut list: Vec<FeedIndex> =
            self.lists.get(label as usize).map(|list| list.to_vec()).unwrap_or_default();
        if let Err(at) = list.binary_search(&feed) {
            list.insert(at, feed);
        }
        let list = list.into_boxed_slice();
        // Fewer lists than prefixes, and 2^31 prefixes would not fit into memory.
        let next = Label::try_from(self.lists.len()).unwrap_or(NO_FEED);
        let sum = *self.by_list.entry(list.clone()).or_insert(next);
        if sum == next {
            self.lists.push(list);
        }
        self.by_addition.insert((label, feed), sum);
        sum
    }

    pub(super) fn finish(mut self) -> Labels {
        self.lists.shrink_to_fit();
        Labels { lists: self.lists }
    }
}
