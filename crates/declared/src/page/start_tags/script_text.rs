//! Where the text of a script ends (the script data states of the HTML standard).

use super::tag_syntax::{is_end, is_end_tag_name, is_space};

/// Inside `<!--` an end tag still ends the script, but inside `<!-- <script` only the inner one.
#[derive(Clone, Copy)]
enum State {
    Plain,
    Escaped,
    /// Escaped, directly after two dashes or more.
    EscapedDashes,
    Doubly,
    DoublyDashes,
}

/// Where the name of the end tag of a script starts. None if the script never ends.
pub(super) fn script_end_tag(text: &[u8], wanted: &[u8]) -> Option<usize> {
    let mut state = State::Plain;
    let mut at = 0;
    loop {
        let rest = text.get(at..)?;
        let (next, step) = match (state, rest) {
            (State::Plain, _) => {
                at += memchr::memchr(b'<', rest)?;
                match text.get(at + 1..)? {
                    [b'/', name @ ..] if is_end_tag_name(name, wanted) => return Some(at + 2),
                    [b'!', b'-', b'-', ..] => (State::EscapedDashes, 4),
                    _ => (State::Plain, 1),
                }
            }
            (_, []) => return None,
            (State::EscapedDashes, [b'-', ..]) => (State::EscapedDashes, 1),
            (State::DoublyDashes, [b'-', ..]) => (State::DoublyDashes, 1),
            (State::EscapedDashes | State::DoublyDashes, [b'>', ..]) => (State::Plain, 0),
            (State::Escaped, [b'-', b'-', ..]) => (State::EscapedDashes, 2),
            (State::Doubly, [b'-', b'-', ..]) => (State::DoublyDashes, 2),
            (State::Escaped | State::EscapedDashes, [b'<', inside @ ..]) => match inside {
                [b'/', name @ ..] if is_end_tag_name(name, wanted) => return Some(at + 2),
                _ if starts_script(inside) => (State::Doubly, 1 + SCRIPT.len() + 1),
                _ => (State::Escaped, 1),
            },
            (State::Doubly | State::DoublyDashes, [b'<', b'/', inside @ ..])
                if starts_script(inside) =>
            {
                (State::Escaped, 2 + SCRIPT.len() + 1)
            }
            (State::Escaped | State::EscapedDashes, _) => (State::Escaped, 1),
            (State::Doubly | State::DoublyDashes, _) => (State::Doubly, 1),
        };
        state = next;
        at += step;
    }
}

const SCRIPT: &[u8] = b"script";

fn starts_script(text: &[u8]) -> bool {
    text.split_at_checked(SCRIPT.len()).is_some_and(|(name, after)| {
        name.eq_ignore_ascii_case(SCRIPT)
            && after.first().is_some_and(|byte| is_space(*byte) || is_end(*byte))
    })
}
