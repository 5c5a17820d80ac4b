//! A site that moves to another domain, and one whose name imitates a well-known site.

use super::base::{plain_site, site_with_pages};
use crate::{
    content::{BOOKSHOP, ORCHESTRA},
    http::reply::Reply,
    site::LabSite,
};

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "moves.lab",
        behaviour: "moves",
        does: "Redirects to another domain after somebody opens /turn/away, until somebody opens \
               /turn/back.",
        says: "Every identity gets the page. After the move it redirects to another domain, \
               open.lab.",
        text: &ORCHESTRA,
        ..site_with_pages(|request| match request.path {
            "/" if request.has_moved => Reply::redirect(302, "https://open.lab/"),
            "/turn/away" | "/turn/back" => Reply::text(200, "So be it.\n"),
            _ => plain_site(request),
        })
    },
    LabSite {
        name: "wikipedia-login.lab",
        behaviour: "borrowed_name",
        does: "Has a well-known name and the word \"login\" in its domain, and belongs to somebody \
               else.",
        says: "Every identity gets the page. The domain name is typical for an impersonator.",
        text: &BOOKSHOP,
        ..site_with_pages(plain_site)
    },
];
