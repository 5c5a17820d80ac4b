//! The part of the table for what a walk finds out besides the lists: whether a server speaks both eras,
//! challenges that come late, sessions that must be ended, and server cards.

use super::behaviour::{Behaviour, Card, Era, Fault};
use super::content;
use super::host::{LEGACY, LabMcpHost, MODERN, STREAM, fault, pages};

const fn card(card: Card) -> Behaviour {
    Behaviour { card, ..MODERN }
}

pub(super) fn servers() -> Vec<LabMcpHost> {
    let new = LabMcpHost::new;
    let late =
        |name, does, behaviour| new(name, does, behaviour).ends("auth_required", "auth_required");
    vec![
        new(
            "mcp-both-listed.lab",
            "Speaks both eras, and discovery says so.",
            Behaviour { era: Era::Both, ..fault(LEGACY, Fault::ListsOlderVersion) },
        ),
        new(
            "mcp-no-discover.lab",
            "Speaks 2026-07-28 without discovery.",
            fault(MODERN, Fault::NoDiscover),
        ),
        late(
            "mcp-auth-lists.lab",
            "Asks for credentials only for its lists.",
            fault(LEGACY, Fault::AuthForLists),
        ),
        late(
            "mcp-auth-lists-modern.lab",
            "The same, in 2026-07-28.",
            fault(MODERN, Fault::AuthForLists),
        ),
        late(
            "mcp-auth-lists-stream.lab",
            "The same, in 2024-11-05.",
            fault(STREAM, Fault::AuthForLists),
        ),
        late(
            "mcp-forbidden-lists.lab",
            "Answers its lists with 403 and a challenge.",
            fault(LEGACY, Fault::ForbiddenLists),
        ),
        new(
            "mcp-auth-prompts.lab",
            "Asks for credentials for its prompts, not for its tools.",
            fault(LEGACY, Fault::AuthForPrompts),
        )
        .ends("incomplete", "auth_required"),
        new(
            "mcp-large-session.lab",
            "Eight tools of 1.5 MiB, one a page, in a session.",
            pages(LEGACY, 1),
        )
        .lists(content::large_tools)
        .ends("incomplete", "walk_too_large"),
        new(
            "mcp-silent-initialize.lab",
            "Issues a session and never answers initialize.",
            fault(LEGACY, Fault::SilentInitialize),
        )
        .ends("unreachable", "timeout"),
        new("mcp-card.lab", "Has a card that says what it is.", card(Card::Current)),
        new("mcp-card-beside.lab", "Has a card next to its address.", card(Card::Beside)),
        new(
            "mcp-card-earlier.lab",
            "Has a card of the earlier form, with its tools.",
            card(Card::Earlier),
        ),
        new("mcp-card-differs.lab", "Has a card of another server.", card(Card::Different)),
        new("mcp-card-huge.lab", "Its card has a gigabyte.", card(Card::Huge)),
        new("mcp-card-deep.lab", "Its card is nested five thousand times.", card(Card::Deep)),
        new("mcp-card-array.lab", "Its card is an array.", card(Card::Array)),
        new("mcp-card-page.lab", "Answers with a page where its card should be.", card(Card::Page)),
        new("mcp-card-silent.lab", "Never sends its card.", card(Card::Silent)),
        new("mcp-card-error.lab", "Answers with 500 for its card.", card(Card::ServerError)),
        new("mcp-card-redirect.lab", "Redirects its card to 127.0.0.1.", card(Card::Redirect)),
    ]
}
