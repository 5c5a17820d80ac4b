//! One check of a content clock: robots.txt for our own token first, then the page, once, and only
//! if it changed.

use std::sync::Arc;
use std::time::Duration;

use agents::{Catalogue, Role};
use contract::evidence::FailureKind;
use declared::robots::Robots;
use door::{Door, Fetched, Follow, ReadKind, Request};
use url::{Position, Url};

use crate::scan::manners::{Manners, OPT_OUT, policy};

/// Everything a check needs to know before it begins.
#[derive(Debug)]
pub struct ClockPlan<'a> {
    /// Without query and fragment.
    pub url: &'a str,
    pub door: &'a Door,
    pub catalogue: &'a Catalogue,
    /// For all reads together.
    pub deadline: Duration,
    /// What the server named the last version by.
    pub etag: Option<&'a str>,
    pub last_modified: Option<&'a str>,
}

/// What became of a check.
#[derive(Debug)]
pub enum ClockRead {
    /// robots.txt asks us to stay away.
    Unwelcome,
    /// robots.txt is there and could not be read: somebody who comes back unasked stays away then
    /// (RFC 9309, 2.3.1.4).
    PolicyUnknown(String),
    /// The page was asked for; what came is in there.
    Asked(Box<Fetched>),
}

impl ClockPlan<'_> {
    pub async fn run(&self) -> ClockRead {
        let Some(own) = self.catalogue.the(Role::Own) else {
            return ClockRead::PolicyUnknown("We have no name to ask under.".to_owned());
        };
        let Ok(url) = Url::parse(self.url) else {
            return ClockRead::PolicyUnknown("The address cannot be read.".to_owned());
        };
        let visit = self.door.visit(self.deadline);
        let ask = Request {
            url: format!("{}/robots.txt", &url[..Position::BeforePath]),
            identity: own.id.clone(),
            headers: own.headers(),
            kind: ReadKind::Robots,
            timeout: Some(self.deadline / 3),
            fresh_connection: false,
            follow: Follow::All,
        };
        let robots = visit.fetch(ask.clone()).await;
        let said = match self.rules(&robots) {
            Ok(said) => said,
            Err(why) => return ClockRead::PolicyUnknown(why),
        };
        // Coming back every few hours is crawling: rules for everyone count for us as well.
        let path = &url[Position::BeforePath..Position::AfterQuery];
        if !said.access(&self.catalogue.own_token, path).allowed {
            return ClockRead::Unwelcome;
        }
        let manners = Arc::new(Manners::new(visit.clone(), &self.catalogue.own_token, ask));
        manners.know(&url[Position::BeforeHost..Position::BeforePath], said);
        let mut headers = own.headers();
        // The validator that says more goes alone (RFC 9110, 13.1.3).
        match (self.etag, self.last_modified) {
            (Some(etag), _) => headers.push(("if-none-match".to_owned(), etag.to_owned())),
            (None, Some(date)) => headers.push(("if-modified-since".to_owned(), date.to_owned())),
            (None, None) => {}
        }
        let page = Request {
            url: self.url.to_owned(),
            identity: own.id.clone(),
            headers,
            kind: ReadKind::Page,
            timeout: None,
            fresh_connection: false,
            follow: Follow::If(manners),
        };
        let fetched = visit.fetch(page).await;
        let refused = match &fetched.exchange.outcome {
            contract::evidence::Outcome::Failed(failure) => {
                failure.kind == FailureKind::RefusedByPolicy && failure.reason == OPT_OUT.reason
            }
            contract::evidence::Outcome::Response(_) => false,
        };
        if refused { ClockRead::Unwelcome } else { ClockRead::Asked(Box::new(fetched)) }
    }

    fn rules(&self, robots: &Fetched) -> Result<Robots, String> {
        match robots.exchange.response().map(|response| response.status) {
            Some(status @ (429 | 500..=599)) => {
                Err(format!("robots.txt was answered with {status}."))
            }
            Some(_) => Ok(policy(robots)),
            // Where nothing answers, the page will not either; the read says why.
            None => Ok(Robots::default()),
        }
    }
}
