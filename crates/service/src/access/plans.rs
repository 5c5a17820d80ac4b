//! Plans: what a licence gives its holder. The operator defines them; a licence names one.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use store::Licence;

/// What the licences of one plan give.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub name: String,
    /// Calls in a UTC month; `None` for any number.
    pub monthly_quota: Option<u64>,
    /// How many times the limits per licence (`limits.keyed_…`) its licences have.
    pub rate_factor: u32,
    /// Scans that only their maker can see.
    pub has_private_scans: bool,
    pub has_webhooks: bool,
    /// The records of a census as files.
    pub has_census_export: bool,
}

/// All plans of a deployment, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plans(BTreeMap<String, Plan>);

/// Why a text is not a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPlan {
    #[error("a plan begins with its name: 1 to 32 lower-case letters, digits and hyphens")]
    Name,
    #[error(
        "`{0}` is not known; a plan is `NAME quota=NUMBER rate=NUMBER private webhooks census`"
    )]
    Unknown(String),
    #[error("`{0}` needs a whole number from 1")]
    Number(String),
    #[error("`{0}` is there twice")]
    Twice(String),
    #[error("there is no plan")]
    None,
    #[error("there are more than {MAX_PLANS} plans")]
    TooMany,
}

const MAX_PLANS: usize = 50;
const MAX_NAME: usize = 32;

impl Plan {
    /// The plan of keys that anybody can ask for.
    pub const FREE: &str = "free";
    /// The plan of a licence for which the operator names none.
    pub const STANDARD: &str = "standard";

    /// A plan without features.
    fn plain(name: &str, monthly_quota: Option<u64>) -> Self {
        Self {
            name: name.to_owned(),
            monthly_quota,
            rate_factor: 1,
            has_private_scans: false,
            has_webhooks: false,
            has_census_export: false,
        }
    }

    fn with_all_features(self, rate_factor: u32) -> Self {
        Self {
            rate_factor,
            has_private_scans: true,
            has_webhooks: true,
            has_census_export: true,
            ..self
        }
    }
}

/// As in the configuration: `standard quota=50000 rate=5 private webhooks census`.
impl FromStr for Plan {
    type Err = BadPlan;

    fn from_str(text: &str) -> Result<Self, BadPlan> {
        let mut words = text.split_ascii_whitespace();
        let name = words.next().filter(|name| is_name(name)).ok_or(BadPlan::Name)?;
        let mut plan = Self::plain(name, None);
        let mut seen = Vec::new();
        for word in words {
            let (what, number) = match word.split_once('=') {
                Some((what, number)) => (what, Some(number)),
                None => (word, None),
            };
            if seen.contains(&what) {
                return Err(BadPlan::Twice(what.to_owned()));
            }
            seen.push(what);
            let bad_number = || BadPlan::Number(word.to_owned());
            match (what, number) {
                ("quota", Some(number)) => {
                    let quota = number.parse().ok().filter(|quota| *quota > 0);
                    plan.monthly_quota = Some(quota.ok_or_else(bad_number)?);
                }
                ("rate", Some(number)) => {
                    let factor = number.parse().ok().filter(|factor| *factor > 0);
                    plan.rate_factor = factor.ok_or_else(bad_number)?;
                }
                ("private", None) => plan.has_private_scans = true,
                ("webhooks", None) => plan.has_webhooks = true,
                ("census", None) => plan.has_census_export = true,
                _ => return Err(BadPlan::Unknown(word.to_owned())),
            }
        }
        Ok(plan)
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(quota) = self.monthly_quota {
            write!(f, " quota={quota}")?;
        }
        if self.rate_factor > 1 {
            write!(f, " rate={}", self.rate_factor)?;
        }
        let features = [
            (self.has_private_scans, " private"),
            (self.has_webhooks, " webhooks"),
            (self.has_census_export, " census"),
        ];
        features.iter().filter(|(has, _)| *has).try_for_each(|(_, word)| f.write_str(word))
    }
}

impl Plans {
    /// Plans as the operator wrote them, one per text.
    pub fn parse<T: AsRef<str>>(texts: &[T]) -> Result<Self, BadPlan> {
        let mut plans = BTreeMap::new();
        for text in texts {
            let plan: Plan = text.as_ref().parse()?;
            if let Some(earlier) = plans.insert(plan.name.clone(), plan) {
                return Err(BadPlan::Twice(earlier.name));
            }
        }
        match plans.len() {
            0 => Err(BadPlan::None),
            count if count > MAX_PLANS => Err(BadPlan::TooMany),
            _ => Ok(Self(plans)),
        }
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Plan> {
        self.0.get(name)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Plan> {
        self.0.values()
    }

    /// What a licence gives. A licence whose plan is no longer configured has what the built-in plan `free`
    /// gives: the least, but not nothing.
    #[must_use]
    pub fn of_licence(&self, licence: &Licence) -> Plan {
        self.get(&licence.plan).cloned().unwrap_or_else(|| {
            let least = built_in_free();
            Plan { name: licence.plan.clone(), ..least }
        })
    }
}

fn built_in_free() -> Plan {
    Plan::plain(Plan::FREE, Some(1_000))
}

impl Default for Plans {
    fn default() -> Self {
        let plans = [
            built_in_free(),
            Plan::plain(Plan::STANDARD, Some(50_000)).with_all_features(5),
            Plan::plain("unlimited", None).with_all_features(20),
        ];
        Self(plans.into_iter().map(|plan| (plan.name.clone(), plan)).collect())
    }
}

fn is_name(text: &str) -> bool {
    (1..=MAX_NAME).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read_as_it_is_written() {
        for plan in Plans::default().iter() {
            assert_eq!(plan.to_string().parse(), Ok(plan.clone()));
        }
        let plan: Plan = "big  webhooks quota=7".parse().unwrap();
        assert_eq!(plan, Plan { has_webhooks: true, ..Plan::plain("big", Some(7)) });
        let texts = Plans::default().iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            texts,
            [
                "free quota=1000",
                "standard quota=50000 rate=5 private webhooks census",
                "unlimited rate=20 private webhooks census"
            ]
        );
        assert_eq!(Plans::parse(&texts), Ok(Plans::default()));
    }

    #[test]
    fn what_is_not_a_plan_is_refused_with_a_reason() {
        for (text, named) in [
            ("", "name"),
            ("Big", "name"),
            ("a_b quota=1", "name"),
            ("quota=5", "name"),
            ("big quota", "quota"),
            ("big quota=0", "quota=0"),
            ("big quota=-1", "quota=-1"),
            ("big quota=99999999999999999999999", "quota=9"),
            ("big rate=x", "rate=x"),
            ("big private=yes", "private=yes"),
            ("big Webhooks", "Webhooks"),
            ("big quota=1 quota=2", "twice"),
        ] {
            let error = text.parse::<Plan>().unwrap_err().to_string();
            assert!(error.contains(named), "{text}: {error}");
        }
        assert_eq!(Plans::parse::<&str>(&[]), Err(BadPlan::None));
        assert_eq!(Plans::parse(&["a", "a quota=1"]), Err(BadPlan::Twice("a".to_owned())));
        let many: Vec<String> = (0..=MAX_PLANS).map(|n| format!("p{n}")).collect();
        assert_eq!(Plans::parse(&many), Err(BadPlan::TooMany));
    }
}
