//! Ranges in one buffer or list, kept as two numbers so that a parsed file can be moved and cloned.

/// A range in [`Robots::text`](super::Robots) or in one of its lists. Both ends fit: the text is
/// bounded far below 4 GiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
}

pub(super) fn slice_of<T>(list: &[T], span: Span) -> &[T] {
    let at = |place: u32| usize::try_from(place).unwrap_or(usize::MAX);
    list.get(at(span.start)..at(span.end)).unwrap_or_default()
}

pub(super) fn to_u32(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

pub(super) fn empty_span_at(length: usize) -> Span {
    Span { start: to_u32(length), end: to_u32(length) }
}

/// The range of `part`, a slice of `whole`, in it.
pub(super) fn span_of(whole: &[u8], part: &[u8]) -> Span {
    if part.is_empty() {
        return Span::default();
    }
    let start = part.as_ptr().addr().saturating_sub(whole.as_ptr().addr());
    Span { start: to_u32(start), end: to_u32(start + part.len()) }
}
