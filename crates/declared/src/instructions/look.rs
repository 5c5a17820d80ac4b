//! One passage, looked at sentence by sentence.

use super::phrases::{Class, find, holds};
use super::sentence::{Reading, Sentence};
use super::{Context, Hit, MAX_DECODED, MAX_EXCERPT, MAX_HITS, shown};
use super::{encoded, invisible, mood, roles};

/// Sentences further apart than this have nothing to do with each other.
const NEAR_BYTES: usize = 600;

/// A phrase that is said, not quoted and not told of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Said {
    /// In the folded sentence.
    pub(super) from: usize,
    pub(super) to: usize,
    at: usize,
    disguised: bool,
}

/// The phrases of one sentence that every passage is searched for.
#[derive(Default)]
struct Facts {
    address: Option<Said>,
    label: Option<Said>,
    weak: Option<Said>,
    overrides: Option<Said>,
}

pub(super) struct Look<'a> {
    surface: &'a str,
    text: &'a str,
    context: Context,
    /// Kept from the eyes of people.
    concealed: bool,
    file: bool,
    reading: Reading,
}

impl<'a> Look<'a> {
    pub(super) fn new(surface: &'a str, text: &'a str, context: Context) -> Self {
        let file = surface == "file";
        let hidden = matches!(
            surface,
            "css_hidden"
                | "hidden_attribute"
                | "comment"
                | "noscript"
                | "template"
                | "attribute"
                | "meta"
                | "json_ld"
                | "svg_text"
                | "header"
        );
        let concealed = hidden || (context.only_ai && !file);
        Self { surface, text, context, concealed, file, reading: Reading::of(text) }
    }

    pub(super) fn hits(&self) -> Vec<Hit> {
        let mut hits: Vec<Hit> = Vec::new();
        for hidden in invisible::hidden(self.text) {
            hits.push(self.hit("invisible_text", true, hidden.at, Some(&hidden.decoded)));
        }
        for hidden in invisible::reversed(self.text) {
            if orders(&hidden.decoded) {
                hits.push(self.hit("invisible_text", true, hidden.at, Some(&hidden.decoded)));
            }
        }
        // On a page about the matter, what everybody can read is what the page is about.
        if !self.concealed && !self.file && self.context.about_security {
            return hits;
        }
        let facts: Vec<Facts> =
            self.reading.sentences.iter().map(|sentence| self.facts(sentence)).collect();
        self.roles(&mut hits);
        self.encoded(&facts, &mut hits);
        for (index, sentence) in self.reading.sentences.iter().enumerate() {
            if hits.len() >= MAX_HITS {
                break;
            }
            hits.extend(self.judged(&facts, index, sentence));
        }
        hits
    }

    fn hit(&self, rule: &'static str, concealed: bool, at: usize, decoded: Option<&str>) -> Hit {
        Hit {
            surface: self.surface.to_owned(),
            rule,
            concealed,
            offset: at,
            excerpt: shown(self.text.get(at..).unwrap_or_default(), MAX_EXCERPT),
            decoded: decoded.map(|decoded| shown(decoded, MAX_DECODED)),
        }
    }

    fn facts(&self, sentence: &Sentence) -> Facts {
        let overrides = self
            .first(Class::Override, sentence)
            .or_else(|| self.first(Class::Glued, sentence).filter(|glued| glued.disguised));
        Facts {
            address: self.first(Class::Address, sentence),
            label: self.first(Class::AddressLabel, sentence),
            weak: self.first(Class::AddressWeak, sentence),
            overrides,
        }
    }

    /// The first phrase of a class that is said in a sentence.
    fn first(&self, class: Class, sentence: &Sentence) -> Option<Said> {
        find(class, &sentence.text).into_iter().find_map(|(from, to)| {
            // Of a loose order the word before is part, because it shows that it is one.
            let place = if class == Class::Imperative { to.saturating_sub(2) } else { from };
            let at = sentence.word_at(place).map_or(sentence.start, |word| word.at);
            if mood::is_told_of(sentence, from, class) {
                return None;
            }
            if self.reading.is_quoted(at) && self.quotation_excuses(sentence, from) {
                return None;
            }
            Some(Said { from, to, at, disguised: sentence.disguised(from, to) })
        })
    }

    /// In plain sight a quotation is a quotation. Out of sight the marks prove nothing, unless the
    /// sentence says what they are for.
    fn quotation_excuses(&self, sentence: &Sentence, from: usize) -> bool {
        !self.concealed
            || self.context.about_security
            || holds(Class::Report, &format!("{} ", sentence.text.get(..from).unwrap_or_default()))
    }

    /// Sentences about one, itself among them: two before, one after.
    fn near(&self, index: usize) -> impl Iterator<Item = (usize, &Sentence)> {
        let here = self.reading.sentences.get(index).map_or((0, 0), |here| (here.start, here.end));
        let first = index.saturating_sub(2);
        self.reading.sentences.iter().enumerate().skip(first).take(4).filter(
            move |(other, sentence)| {
                *other <= index.saturating_add(1)
                    && here.0.saturating_sub(sentence.end) <= NEAR_BYTES
                    && sentence.start.saturating_sub(here.1) <= NEAR_BYTES
            },
        )
    }

    /// Whether a machine is spoken to hereabouts, in a form that `counts`.
    fn addressed(&self, facts: &[Facts], index: usize, counts: impl Fn(&Facts) -> bool) -> bool {
        self.near(index).any(|(other, _)| facts.get(other).is_some_and(&counts))
    }

    /// Any form that may count where something is hidden or set aside.
    fn called(&self, facts: &[Facts], index: usize, concealed: bool) -> bool {
        self.addressed(facts, index, |near| {
            near.address.is_some() || near.label.is_some() || (concealed && near.weak.is_some())
        })
    }

    /// Whether something is wanted here or in the next sentence.
    fn wants(&self, index: usize) -> bool {
        const WANTS: [Class; 5] =
            [Class::Promotion, Class::Output, Class::Act, Class::Exfiltration, Class::Secrecy];
        self.reading
            .sentences
            .iter()
            .skip(index)
            .take(2)
            .any(|sentence| WANTS.iter().any(|class| self.first(*class, sentence).is_some()))
    }

    fn judged(&self, facts: &[Facts], index: usize, sentence: &Sentence) -> Option<Hit> {
        if self.surface == "template" && roles::is_mould(self.within(sentence)) {
            return None;
        }
        let here = facts.get(index)?;
        if let Some(said) = here.overrides
            && self.override_counts(facts, index, sentence, said)
        {
            return Some(self.hit("override", self.concealed || said.disguised, said.at, None));
        }
        let addressed =
            self.called(facts, index, self.concealed) && !mood::turns_to_people(sentence);
        if !addressed && !self.file {
            return None;
        }
        if let Some(said) = self.first(Class::Exfiltration, sentence)
            && (self.concealed || mood::carries_off(sentence, said))
            && (self.concealed || !self.reported(index, sentence, said.from))
        {
            return Some(self.hit("exfiltration", self.concealed, said.at, None));
        }
        if let Some(said) = self.first(Class::Secrecy, sentence)
            && (self.concealed || !self.reported(index, sentence, said.from))
            && (!self.file || mood::keeps_quiet(sentence, said))
        {
            return Some(self.hit("secrecy", self.concealed, said.at, None));
        }
        if !self.concealed {
            return None;
        }
        let wanted = |(class, rule)| {
            self.first(class, sentence).map(|said| self.hit(rule, true, said.at, None))
        };
        let judging = [(Class::SecrecyWide, "secrecy"), (Class::Promotion, "manipulates_ranking")];
        if let Some(hit) = judging.into_iter().find_map(wanted) {
            return Some(hit);
        }
        // "AI assistant: book a table" may be a button. What is done for somebody is none.
        let spoken_to =
            self.addressed(facts, index, |near| near.address.is_some() || near.weak.is_some());
        if !spoken_to && !mood::speaks_of_the_person(sentence) {
            return None;
        }
        let doing = [(Class::Act, "concealed_action"), (Class::Output, "concealed_action")];
        let outright = self.addressed(facts, index, |near| near.address.is_some());
        doing.into_iter().find_map(wanted).or_else(|| {
            (outright && !holds(Class::Benign, &sentence.text))
                .then(|| wanted((Class::Imperative, "concealed_action")))
                .flatten()
        })
    }

    fn override_counts(
        &self,
        facts: &[Facts],
        index: usize,
        sentence: &Sentence,
        said: Said,
    ) -> bool {
        let concealed = self.concealed || said.disguised;
        if !concealed && self.reported(index, sentence, said.from) {
            return false;
        }
        if self.called(facts, index, concealed) {
            return true;
        }
        // Nobody is spoken to. "The instructions for row 14" are for people.
        if mood::is_narrow(sentence.after(said.to)) {
            return false;
        }
        if said.disguised {
            return true;
        }
        let words = sentence.text.get(said.from..said.to).unwrap_or_default();
        if !mood::names_instructions(words) {
            return false;
        }
        if self.file {
            return true;
        }
        // Developers write to each other in comments and moulds, and say "the previous
        // instructions" of a manual: there, as in plain sight, something must be wanted as well.
        match self.surface {
            "comment" | "template" | "noscript" => mood::sweeping(words) || self.wants(index),
            _ if self.concealed => true,
            _ => self.wants(index),
        }
    }

    /// Whether words before a phrase say that it is told of: in its sentence, or, when that one
    /// speaks to no machine, in the one before.
    fn reported(&self, index: usize, sentence: &Sentence, from: usize) -> bool {
        if self.file {
            return false;
        }
        let before = format!("{} ", sentence.text.get(..from).unwrap_or_default());
        if holds(Class::Report, &before) {
            return true;
        }
        if holds(Class::Address, &sentence.text) {
            return false;
        }
        index.checked_sub(1).and_then(|previous| self.reading.sentences.get(previous)).is_some_and(
            |previous| {
                sentence.start.saturating_sub(previous.end) <= NEAR_BYTES
                    && holds(Class::Report, &previous.text)
            },
        )
    }

    fn within(&self, sentence: &Sentence) -> &str {
        self.text.get(sentence.start..sentence.end).unwrap_or_default()
    }

    fn roles(&self, hits: &mut Vec<Hit>) {
        if !self.concealed || roles::is_mould(self.text) {
            return;
        }
        for mark in roles::marks(self.text) {
            let quoted = self.reading.is_quoted(mark.at) && self.context.about_security;
            let around = self.reading.sentences.iter().filter(|sentence| {
                sentence.end.saturating_add(NEAR_BYTES) >= mark.at
                    && sentence.start <= mark.at.saturating_add(NEAR_BYTES)
            });
            // A mark of a chat format speaks for itself when words follow; the others need an order.
            let speaks = around.into_iter().any(|sentence| {
                mark.format && sentence.end > mark.at && sentence.text.len() > 24
                    || orders(self.within(sentence))
            });
            if speaks && !quoted {
                hits.push(self.hit("role_tokens", true, mark.at, None));
                return;
            }
        }
    }

    /// A blob that holds an order, or an order to undo a blob and do what it says.
    fn encoded(&self, facts: &[Facts], hits: &mut Vec<Hit>) {
        for (at, decoded) in encoded::decoded(self.text) {
            let told = self.reading.sentences.iter().enumerate().any(|(index, sentence)| {
                sentence.start <= at.saturating_add(NEAR_BYTES)
                    && at <= sentence.end.saturating_add(NEAR_BYTES)
                    && self.first(Class::Decode, sentence).is_some()
                    && (self.concealed || self.called(facts, index, false))
            });
            let order = overrides(&decoded) && (self.concealed || self.file);
            if told || order {
                hits.push(self.hit("encoded_instruction", self.concealed, at, Some(&decoded)));
                return;
            }
        }
    }
}

/// Whether decoded text sets something aside.
fn overrides(text: &str) -> bool {
    Reading::of(text).sentences.iter().any(|sentence| holds(Class::Override, &sentence.text))
}

/// Whether text gives an order of any kind, or speaks to somebody as to a model.
fn orders(text: &str) -> bool {
    const ORDERS: [Class; 8] = [
        Class::Override,
        Class::Secrecy,
        Class::Address,
        Class::AddressWeak,
        Class::Promotion,
        Class::Exfiltration,
        Class::Act,
        Class::Output,
    ];
    Reading::of(text)
        .sentences
        .iter()
        .any(|sentence| ORDERS.iter().any(|class| holds(*class, &sentence.text)))
}
