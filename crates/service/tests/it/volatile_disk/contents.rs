//! What is on the disk: as programs see it, and as it is after a power cut.
//!
//! Only what was synced before the cut is certain to be there afterwards. Everything else may be there or
//! not, page by page, because a disk writes in its own order.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::sync::Arc;

const PAGE: u64 = 4096;
pub(super) const ROOT: u64 = 1;

type Page = [u8; PAGE as usize];

/// The bytes of a file. Pages that are not there are zero.
#[derive(Debug, Clone, Default)]
struct Bytes {
    pages: HashMap<u64, Arc<Page>>,
    size: u64,
}

#[derive(Debug, Default)]
pub(super) struct FileNode {
    seen: Bytes,
    synced: Bytes,
    /// Pages that changed since the last sync.
    changed: HashSet<u64>,
    /// The smallest size since the last sync, if it was made smaller.
    shortened_to: Option<u64>,
    ignores_sync: bool,
}

#[derive(Debug, Default)]
pub(super) struct FolderNode {
    pub(super) seen: BTreeMap<OsString, u64>,
    synced: BTreeMap<OsString, u64>,
}

#[derive(Debug)]
pub(super) enum Content {
    File(FileNode),
    Folder(FolderNode),
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) content: Content,
    pub(super) mode: u16,
}

/// What survives a power cut of what was not synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Survivors {
    Nothing,
    /// Every second page and folder, chosen by this number.
    Half(u64),
}

#[derive(Debug)]
pub(super) struct Contents {
    nodes: HashMap<u64, Node>,
    last_number: u64,
    /// Files with this ending are never synced, as on a disk that confirms what it has not done.
    unsynced_ending: Option<&'static str>,
}

impl Bytes {
    /// Drops what is stored from `size` on.
    fn drop_end(&mut self, size: u64) {
        let (last, rest) = (size / PAGE, (size % PAGE) as usize);
        self.pages.retain(|page, _| *page < last || rest > 0 && *page == last);
        if let Some(page) = self.pages.get_mut(&last) {
            Arc::make_mut(page)[rest..].fill(0);
        }
    }
}

impl FileNode {
    pub(super) fn size(&self) -> u64 {
        self.seen.size
    }

    pub(super) fn read(&self, offset: u64, size: u64) -> Vec<u8> {
        let end = offset.saturating_add(size).min(self.seen.size);
        let mut bytes = Vec::new();
        let mut at = offset;
        while at < end {
            let (page, from) = (at / PAGE, (at % PAGE) as usize);
            let upto = (end - page * PAGE).min(PAGE) as usize;
            match self.seen.pages.get(&page) {
                Some(page) => bytes.extend_from_slice(&page[from..upto]),
                None => bytes.resize(bytes.len() + upto - from, 0),
            }
            at = page * PAGE + upto as u64;
        }
        bytes
    }

    pub(super) fn write(&mut self, offset: u64, mut data: &[u8]) {
        let mut at = offset;
        while !data.is_empty() {
            let (page, from) = (at / PAGE, (at % PAGE) as usize);
            let length = data.len().min(PAGE as usize - from);
            let stored =
                self.seen.pages.entry(page).or_insert_with(|| Arc::new([0; PAGE as usize]));
            Arc::make_mut(stored)[from..from + length].copy_from_slice(&data[..length]);
            self.changed.insert(page);
            data = &data[length..];
            at += length as u64;
        }
        self.seen.size = self.seen.size.max(at);
    }

    pub(super) fn set_size(&mut self, size: u64) {
        if size < self.seen.size {
            self.seen.drop_end(size);
            self.shortened_to = Some(self.shortened_to.map_or(size, |before| before.min(size)));
        }
        self.seen.size = size;
    }

    fn keep(&mut self, page: u64) {
        match self.seen.pages.get(&page) {
            Some(content) => self.synced.pages.insert(page, Arc::clone(content)),
            None => self.synced.pages.remove(&page),
        };
    }

    fn sync(&mut self) {
        if self.ignores_sync {
            return;
        }
        self.shorten_synced();
        for page in std::mem::take(&mut self.changed) {
            self.keep(page);
        }
        self.synced.size = self.seen.size;
    }

    fn shorten_synced(&mut self) {
        if let Some(size) = self.shortened_to.take() {
            self.synced.drop_end(size);
            self.synced.size = self.synced.size.min(size);
        }
    }

    fn cut(&mut self, mut survives: impl FnMut() -> bool) {
        // A file system makes a file shorter as a whole or not at all. If it did not, what was written
        // behind the new end is not part of the file.
        let kept_from_end = if self.shortened_to.is_some() && survives() {
            self.shorten_synced();
            None
        } else {
            self.shortened_to.take().map(|size| size / PAGE)
        };
        for page in std::mem::take(&mut self.changed) {
            if kept_from_end.is_none_or(|end| page < end) && survives() {
                self.keep(page);
            }
        }
        if kept_from_end.is_none() && survives() {
            self.synced.size = self.seen.size;
        }
        // Pages behind the end of the file that survived belong to no file.
        self.synced.drop_end(self.synced.size);
        self.seen = self.synced.clone();
    }
}

impl Contents {
    pub(super) fn new(unsynced_ending: Option<&'static str>) -> Self {
        let root = Node { content: Content::Folder(FolderNode::default()), mode: 0o755 };
        Self { nodes: HashMap::from([(ROOT, root)]), last_number: ROOT, unsynced_ending }
    }

    pub(super) fn node(&self, number: u64) -> Option<&Node> {
        self.nodes.get(&number)
    }

    pub(super) fn node_mut(&mut self, number: u64) -> Option<&mut Node> {
        self.nodes.get_mut(&number)
    }

    pub(super) fn file_mut(&mut self, number: u64) -> Option<&mut FileNode> {
        match &mut self.nodes.get_mut(&number)?.content {
            Content::File(file) => Some(file),
            Content::Folder(_) => None,
        }
    }

    pub(super) fn folder(&self, number: u64) -> Option<&FolderNode> {
        match &self.nodes.get(&number)?.content {
            Content::Folder(folder) => Some(folder),
            Content::File(_) => None,
        }
    }

    pub(super) fn folder_mut(&mut self, number: u64) -> Option<&mut FolderNode> {
        match &mut self.nodes.get_mut(&number)?.content {
            Content::Folder(folder) => Some(folder),
            Content::File(_) => None,
        }
    }

    /// Adds a file or folder. `None` if there is no such folder.
    pub(super) fn add(
        &mut self,
        folder: u64,
        name: &OsStr,
        mode: u16,
        is_folder: bool,
    ) -> Option<u64> {
        let number = self.last_number + 1;
        self.folder_mut(folder)?.seen.insert(name.to_owned(), number);
        self.last_number = number;
        let content = if is_folder {
            Content::Folder(FolderNode::default())
        } else {
            let ending = self.unsynced_ending;
            let ignores_sync =
                ending.is_some_and(|ending| name.to_string_lossy().ends_with(ending));
            Content::File(FileNode { ignores_sync, ..FileNode::default() })
        };
        self.nodes.insert(number, Node { content, mode });
        Some(number)
    }

    pub(super) fn sync(&mut self, number: u64) {
        match self.nodes.get_mut(&number).map(|node| &mut node.content) {
            Some(Content::File(file)) => file.sync(),
            Some(Content::Folder(folder)) => folder.synced.clone_from(&folder.seen),
            None => {}
        }
    }

    /// The power fails: what was not synced is gone, except for what survives by chance.
    pub(super) fn cut(&mut self, survivors: Survivors) {
        let mut state = match survivors {
            Survivors::Nothing => 0,
            Survivors::Half(number) => number | 1,
        };
        let mut survives = || {
            // Xorshift; zero stays zero.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state >> 32 & 1 == 1
        };
        let mut numbers: Vec<u64> = self.nodes.keys().copied().collect();
        numbers.sort_unstable();
        for number in numbers {
            match self.nodes.get_mut(&number).map(|node| &mut node.content) {
                Some(Content::File(file)) => file.cut(&mut survives),
                Some(Content::Folder(folder)) if survives() => {
                    folder.synced.clone_from(&folder.seen);
                }
                Some(Content::Folder(folder)) => folder.seen.clone_from(&folder.synced),
                None => {}
            }
        }
        self.forget_unreachable();
    }

    fn forget_unreachable(&mut self) {
        let (mut reached, mut waiting) = (HashSet::from([ROOT]), vec![ROOT]);
        while let Some(number) = waiting.pop() {
            let below = self.folder(number).into_iter().flat_map(|folder| folder.seen.values());
            waiting.extend(below.copied().filter(|number| reached.insert(*number)));
        }
        self.nodes.retain(|number, _| reached.contains(number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add_file(disk: &mut Contents, name: &str) -> u64 {
        disk.add(ROOT, OsStr::new(name), 0o600, false).unwrap()
    }

    fn read(disk: &mut Contents, number: u64) -> Option<Vec<u8>> {
        Some(disk.file_mut(number)?.read(0, 100_000))
    }

    #[test]
    fn only_what_was_synced_survives_a_cut() {
        let mut disk = Contents::new(Some("-wal"));
        let (kept, lost) = (add_file(&mut disk, "kept"), add_file(&mut disk, "lost"));
        let lying = add_file(&mut disk, "x-wal");
        for number in [kept, lost, lying] {
            disk.file_mut(number).unwrap().write(5_000, b"synced");
            disk.sync(number);
        }
        disk.folder_mut(ROOT).unwrap().seen.remove(OsStr::new("lost"));
        disk.sync(ROOT);
        let later = add_file(&mut disk, "later");
        disk.sync(later);
        let file = disk.file_mut(kept).unwrap();
        file.write(5_000, b"change");
        file.write(9_000, b"more");
        assert_eq!(file.size(), 9_004);
        disk.cut(Survivors::Nothing);
        let bytes = read(&mut disk, kept).unwrap();
        assert_eq!((bytes.len(), &bytes[5_000..]), (5_006, b"synced".as_slice()));
        assert_eq!(read(&mut disk, lying).unwrap(), b"", "its sync was ignored");
        assert!(disk.node(lost).is_none() && disk.node(later).is_none());
        // A file that was cut shorter has its old end again if that was not synced.
        disk.file_mut(kept).unwrap().set_size(5_001);
        assert_eq!(&read(&mut disk, kept).unwrap()[5_000..], b"s");
        disk.file_mut(kept).unwrap().set_size(5_003);
        assert_eq!(&read(&mut disk, kept).unwrap()[5_000..], b"s\0\0");
        disk.cut(Survivors::Nothing);
        assert_eq!(&read(&mut disk, kept).unwrap()[5_000..], b"synced");
    }

    #[test]
    fn half_of_what_was_not_synced_survives_by_chance() {
        let mut disk = Contents::new(None);
        let number = add_file(&mut disk, "a");
        disk.sync(ROOT);
        disk.file_mut(number).unwrap().set_size(1_000 * PAGE);
        disk.sync(number);
        for page in 0..1_000 {
            disk.file_mut(number).unwrap().write(page * PAGE, &[1]);
        }
        disk.cut(Survivors::Half(77));
        let file = disk.file_mut(number).unwrap();
        let kept = (0..1_000).filter(|page| file.read(page * PAGE, 1) == [1]).count();
        assert!((400..600).contains(&kept), "{kept}");
    }
}
