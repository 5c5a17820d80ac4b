//! 2.1: the home page as each identity was served it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::EquivalenceVerdict;
use crate::evidence::Failure;
use crate::ratio::{Quotient, Ratio};
use crate::{Timestamp, open_enum};

/// The home page as served to each identity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AgentView {
    pub rows: Vec<AgentRow>,
    /// Whether the same identity gets the same page twice; null when it was not requested twice.
    #[schema(required)]
    pub deterministic: Option<bool>,
    #[schema(required)]
    pub self_similarity: Option<Ratio>,
    /// Whether the text of the page varies, and whether it follows the identity.
    #[serde(default = "TextVariation::unknown")]
    pub variation: TextVariation,
    /// An explanation of `variation` in one sentence.
    #[serde(default)]
    pub variation_why: String,
    /// The trial that decided whether differences follow the identity; null when none was needed or
    /// none took place.
    #[serde(default)]
    #[schema(required)]
    pub trial: Option<TextTrial>,
    pub split: IdentitySplit,
    #[schema(required)]
    pub split_evidence: Option<SplitEvidence>,
    /// Whether every AI identity was refused; null when none was tried.
    #[schema(required)]
    pub all_refused: Option<bool>,
    /// The words served to AI identities, as a share of the browser's.
    #[schema(required)]
    pub answer_word_share: Option<Ratio>,
    /// True because this service only sends the crawlers' names, from its own network. A site that
    /// verifies crawlers by address may treat the real ones differently.
    pub claims_unverified: bool,
    /// The ids of the readings it is based on.
    pub evidence: Vec<String>,
    pub conflicts: Vec<AccessConflict>,
    /// Which clients the refusals target, derived from the differences between identities: `none`,
    /// `named_agents`, `one_purpose`, `one_agent`, `non_browser`, `network`, `unknown`.
    pub aimed_at: String,
    /// An explanation of `aimed_at` in one sentence.
    pub aimed_at_why: String,
    /// CDN and bot-protection vendors detected in front of the site. Their presence does not mean
    /// that they refused anything.
    pub vendors_present: Vec<String>,
}

open_enum! {
    /// Whether the text of the page varies between requests.
    pub enum TextVariation {
        /// Every identity that got the page got the same text.
        Same = "same",
        /// The text changes from request to request, for people too. No difference follows the
        /// identity.
        Varies = "varies",
        /// Some identities get another text than people, whenever they ask.
        FollowsIdentity = "follows_identity",
        /// Some identities got another text once; too few reads were possible to decide whether it
        /// follows the identity.
        NotConfirmed = "not_confirmed",
        NotMeasured = "not_measured",
    }
}

impl TextVariation {
    /// For records from before it was measured.
    fn unknown() -> Self {
        Self::NotMeasured
    }
}

/// A trial: requests of people and of suspected identities, in an order drawn at random. If the site
/// does not look at the identity, our split of the reads into these two groups is the clearest of all
/// possible splits only by chance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TextTrial {
    /// The reads as browser and control client that could be compared.
    pub reference_reads: u32,
    /// The reads as suspected identities that could be compared.
    pub suspect_reads: u32,
    /// In how many ways the reads can be split into two groups of these sizes.
    pub splits: u64,
    /// The highest chance of a false alarm: three respects are tested, each against all splits.
    pub false_alarm_rate: Ratio,
    /// In which respects the page follows the identity: `text`, `prices`, `contacts`.
    pub follows_identity: Vec<String>,
    /// The ids of the readings it is based on.
    pub evidence: Vec<String>,
}

open_enum! {
    /// How the responses to the identities differ.
    pub enum IdentitySplit {
        None = "none",
        /// Some were refused.
        Refused = "refused",
        /// Some got a challenge page.
        Challenged = "challenged",
        /// Some were asked to pay.
        Payment = "payment",
        /// Some got different text.
        Content = "content",
        NotMeasured = "not_measured",
    }
}

/// The evidence that identities were treated differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SplitEvidence {
    /// The identities that were treated differently from the browser.
    pub identities: Vec<String>,
    pub detail: String,
    /// The ids of the readings it is based on.
    pub readings: Vec<String>,
}

/// A contradiction between what the site declares and how it responds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccessConflict {
    pub identity: String,
    pub declared: String,
    pub served: String,
    pub why: String,
    /// The ids of the readings it is based on.
    pub evidence: Vec<String>,
}

/// The response to one identity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AgentRow {
    pub id: String,
    pub label: String,
    pub role: Role,
    /// As sent.
    pub user_agent: String,
    /// Null when there was no response.
    #[schema(required)]
    pub status: Option<u16>,
    #[schema(required)]
    pub bytes: Option<u64>,
    /// Words of visible text.
    #[schema(required)]
    pub words: Option<u32>,
    /// The X-Robots-Tag field.
    #[schema(required)]
    pub xrobots: Option<String>,
    #[schema(required)]
    pub redirected_to: Option<String>,
    #[schema(required)]
    pub final_url: Option<String>,
    /// What was served instead of the page: `block`, `challenge`, `captcha`, `rate_limit`,
    /// `payment`, `login`, `legal`, `region`, `age`, `consent`, `parked`, `maintenance`,
    /// `placeholder`, `empty`.
    #[schema(required)]
    pub blocker: Option<String>,
    /// The vendor of the block page or challenge.
    #[schema(required)]
    pub vendor: Option<String>,
    /// The signs by which the block page or challenge was recognised.
    pub blocker_marks: Vec<String>,
    /// The price of the page, if the response states one. Written by the site.
    #[schema(required)]
    pub price: Option<String>,
    /// A command line that sends the same request.
    pub repro: String,
    /// Similarity to the browser's text.
    #[schema(required)]
    pub similarity: Option<Ratio>,
    /// The share of this text that also occurs in the browser's.
    #[schema(required)]
    pub containment: Option<Ratio>,
    /// The number of words divided by the browser's.
    #[schema(required)]
    pub text_ratio: Option<Quotient>,
    /// How the text compares with the browser's, taking into account how much the browser's own
    /// text varies.
    pub equivalence: EquivalenceVerdict,
    /// Whether the text contains what reads like an instruction to a machine; null when it was not
    /// read.
    #[schema(required)]
    pub instruction_like_text: Option<bool>,
    pub cause: RowCause,
    /// When the request was sent.
    #[schema(required)]
    pub asked_at: Option<Timestamp>,
    #[schema(required)]
    pub ms: Option<u32>,
    #[schema(required)]
    pub http: Option<String>,
    /// The IP address that was connected to.
    #[schema(required)]
    pub address: Option<String>,
    #[schema(required)]
    pub body_sha256: Option<String>,
    /// Why there was no response.
    #[schema(required)]
    pub error: Option<Failure>,
    /// The id of the reading in the evidence; null when nothing was read.
    #[schema(required)]
    pub reading: Option<String>,
}

open_enum! {
    /// The role of an identity in the comparison.
    pub enum Role {
        Browser = "browser",
        /// A client without a name: shows what unknown clients get.
        Control = "control",
        Train = "train",
        Search = "search",
        User = "user",
    }
}

open_enum! {
    /// The result for one identity.
    pub enum RowCause {
        Served = "served",
        Refused = "refused",
        Challenge = "challenge",
        PaymentRequired = "payment_required",
        RateLimited = "rate_limited",
        ServerError = "server_error",
        /// A "try later" response or an error, while similar identities got the page. The rate of
        /// this scan may be the cause, so it shows nothing about this identity.
        Busy = "busy",
        /// A success status with a page that stands in for the content: a login form, an age or
        /// region gate, a parked domain, a maintenance notice. `blocker` names the kind.
        Gated = "gated",
        /// A success status without any content.
        Empty = "empty",
        /// No response within a time in which the browser was served several times over.
        Stalled = "stalled",
        /// Another response that is not the page.
        OtherStatus = "other_status",
        /// The server answered, but the page was not received completely.
        Incomplete = "incomplete",
        Unreachable = "unreachable",
        NotRead = "not_read",
    }
}
