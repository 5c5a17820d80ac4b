//! Sites that are not where, or not who, one would think.

use super::{pages, plain};
use crate::{
    content::{BOOKSHOP, ORCHESTRA},
    http::Reply,
    site::Site,
};

pub(super) const SITES: &[Site] = &[
    Site {
        name: "moves.lab",
        behaviour: "moves",
        does: "Leads to another domain from when somebody opens /turn/away until somebody opens \
               /turn/back.",
        says: "Everybody is served here; once it has moved, at another domain, open.lab.",
        text: &ORCHESTRA,
        ..pages(|ask| match ask.path {
            "/" if ask.turned_away => Reply::redirect(302, "https://open.lab/"),
            "/turn/away" | "/turn/back" => Reply::text(200, "So be it.\n"),
            _ => plain(ask),
        })
    },
    Site {
        name: "wikipedia-login.lab",
        behaviour: "borrowed_name",
        does: "Has a well-known name and a word for signing in in its own, and is somebody else's.",
        says: "Everybody is served; the name is one that an impersonator would choose.",
        text: &BOOKSHOP,
        ..pages(plain)
    },
];
