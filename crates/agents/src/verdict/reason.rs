//! Why a verdict is what it is: values first, a sentence when somebody reads it.

use contract::Timestamp;

use super::evidence::NameDenial;
use crate::{AgentIndex, FeedIndex};

/// The step that decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The user agent names no agent of the catalogue.
    NoAgentNamed,
    /// A signature by a key of this agent's directory.
    Signed,
    /// The name exists in robots.txt only. `documented`: its operator says so.
    TokenOnly { documented: bool },
    /// The address is not one of the public internet.
    SpecialAddress,
    /// The address is in the agent's own list.
    InOwnList { feed: FeedIndex },
    /// The address is in the list of all agents of the operator.
    InOperatorList { feed: FeedIndex },
    /// A confirmed name below a documented suffix.
    NamedByDns { name: String },
    /// Not in the lists, which are fresh; no other documented method confirms it.
    OutsideLists { feed: FeedIndex, dns: DnsResult },
    /// Not in the agent's list, but in that of another agent of the same operator.
    InSiblingList { feed: FeedIndex },
    /// Not in the agent's lists, but in a list that also has addresses of others, such as the operator's
    /// customers.
    InNetworkOnly { feed: FeedIndex },
    /// The lists have no addresses of this family.
    FamilyNotListed { feed: FeedIndex, ipv6: bool },
    /// Not in a list that is older than it may be.
    ListTooOld { feed: FeedIndex, fetched_at: Timestamp },
    /// A list was never fetched.
    ListNeverFetched { feed: FeedIndex },
    /// Only DNS is documented, and it denies.
    DeniedByDns(NameDenial),
    /// The address has a documented name, but the operator's names are reported to have no addresses, so
    /// that no name can be confirmed.
    NameNotConfirmable { name: String },
    /// The look-up that would decide failed.
    DnsFailed { why: &'static str, feed: Option<FeedIndex> },
    /// DNS would decide, but was not asked.
    DnsNotLookedUp,
    /// Only the company's network is known.
    OnlyNetworkKnown { inside: Option<bool> },
    /// Only signatures are documented, and there is none.
    OnlySignatures,
    /// The operator publishes nothing to check with.
    NothingPublished,
    /// There is no address; with it, this could be checked.
    NoAddress { lists: bool, dns: bool },
    /// The claim is made by a signature, which is invalid.
    BadSignature,
    /// The claim is made by a signature, whose directory could not be read.
    SignatureUnverified,
}

/// What DNS said when the lists did not confirm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DnsResult {
    NotDocumented,
    Denied(NameDenial),
}

/// What else a reader of the verdict should know.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Remarks {
    /// Further agents that the user agent names, less specific ones.
    pub also_named: Vec<AgentIndex>,
    pub signature: SignatureRemark,
    /// The confirming list is older than it may be; since when.
    pub stale_since: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SignatureRemark {
    #[default]
    None,
    /// Valid, but the address is outside the operator's lists.
    ValidAddressOutside,
    /// Valid, but of an origin that is not the claimed operator's.
    ValidOfAnother {
        origin: String,
    },
    Invalid {
        why: String,
    },
    Unverified {
        why: String,
    },
}
