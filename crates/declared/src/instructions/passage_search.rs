//! Searches one passage, sentence by sentence.

use super::excerpt::excerpt;
use super::model::{InstructionHit, MAX_DECODED, MAX_EXCERPT, MAX_HITS, PageContext};
use super::phrases::{PhraseClass, PhraseMatch, contains_phrase, contains_trigger, find_phrases};
use super::sentences::{Sentence, SplitPassage};
use super::{base64_text, invisible, phrase_context, role_markers};

/// Sentences further apart than this are treated as unrelated.
const NEAR_BYTES: usize = 600;

/// The phrases of one sentence that are needed to judge it and its neighbours.
#[derive(Default)]
struct SentencePhrases {
    address: Option<PhraseMatch>,
    label: Option<PhraseMatch>,
    weak: Option<PhraseMatch>,
    overrides: Option<PhraseMatch>,
}

impl SentencePhrases {
    fn is_empty(&self) -> bool {
        let Self { address, label, weak, overrides } = self;
        [address, label, weak, overrides].into_iter().all(Option::is_none)
    }
}

pub(super) struct PassageSearch<'a> {
    surface: &'a str,
    text: &'a str,
    context: PageContext,
    /// Whether the passage is hidden from people.
    concealed: bool,
    /// Whether people see the passage only when they open it. It is judged like visible text,
    /// because ordinary pages put answers and examples there, but what is found is hidden.
    folded: bool,
    file: bool,
    reading: SplitPassage,
}

impl<'a> PassageSearch<'a> {
    pub(super) fn new(surface: &'a str, text: &'a str, context: PageContext) -> Self {
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
        let folded = surface == "closed_details";
        let reading = SplitPassage::from_text(text);
        Self { surface, text, context, concealed, folded, file, reading }
    }

    pub(super) fn find_hits(&self) -> Vec<InstructionHit> {
        let mut hits: Vec<InstructionHit> = Vec::new();
        for hidden in invisible::find_invisible(self.text) {
            hits.push(self.new_hit("invisible_text", true, hidden.at, Some(&hidden.decoded)));
        }
        for hidden in invisible::find_reversed(self.text) {
            if contains_order(&hidden.decoded) {
                hits.push(self.new_hit("invisible_text", true, hidden.at, Some(&hidden.decoded)));
            }
        }
        // On a page about prompt injection, visible examples are part of the subject. Quotations and
        // code are examples everywhere.
        let examples = !self.concealed && !self.file && self.context.about_security;
        if examples || self.surface == "quoted" {
            return hits;
        }
        let facts: Vec<SentencePhrases> =
            self.reading.sentences.iter().map(|sentence| self.sentence_phrases(sentence)).collect();
        self.check_role_markers(&mut hits);
        self.check_encoded(&facts, &mut hits);
        // In a file every sentence counts, elsewhere only those near one that addresses a machine.
        if !self.file && facts.iter().all(SentencePhrases::is_empty) {
            return hits;
        }
        for (index, sentence) in self.reading.sentences.iter().enumerate() {
            if hits.len() >= MAX_HITS {
                break;
            }
            hits.extend(self.check_sentence(&facts, index, sentence));
        }
        hits
    }

    fn new_hit(
        &self,
        rule: &'static str,
        concealed: bool,
        at: usize,
        decoded: Option<&str>,
    ) -> InstructionHit {
        InstructionHit {
            surface: self.surface.to_owned(),
            rule,
            concealed: concealed || self.folded,
            offset: at,
            excerpt: excerpt(self.text.get(at..).unwrap_or_default(), MAX_EXCERPT),
            decoded: decoded.map(|decoded| excerpt(decoded, MAX_DECODED)),
        }
    }

    fn sentence_phrases(&self, sentence: &Sentence) -> SentencePhrases {
        if !contains_trigger(&sentence.text) {
            return SentencePhrases::default();
        }
        let overrides = self.first_match(PhraseClass::Override, sentence).or_else(|| {
            self.first_match(PhraseClass::Glued, sentence).filter(|glued| glued.disguised)
        });
        SentencePhrases {
            address: self.first_match(PhraseClass::Address, sentence),
            label: self.first_match(PhraseClass::AddressLabel, sentence),
            weak: self.first_match(PhraseClass::AddressWeak, sentence),
            overrides,
        }
    }

    /// The first phrase of a class that is meant in a sentence: not quoted, reported or denied.
    fn first_match(&self, class: PhraseClass, sentence: &Sentence) -> Option<PhraseMatch> {
        find_phrases(class, &sentence.text).into_iter().find_map(|(from, to)| {
            // The match of a loose imperative includes the word before it, which marks it as one.
            let place = if class == PhraseClass::Imperative { to.saturating_sub(2) } else { from };
            let at = sentence.word_at(place).map_or(sentence.start, |word| word.at);
            if phrase_context::is_reported_or_denied(sentence, from, class) {
                return None;
            }
            if self.reading.is_quoted(at) && self.quotation_excuses(sentence, from) {
                return None;
            }
            Some(PhraseMatch { from, to, at, disguised: sentence.is_disguised(from, to) })
        })
    }

    /// Visible quotation marks show a quotation. In hidden text they prove nothing, unless the sentence
    /// says that it reports something.
    fn quotation_excuses(&self, sentence: &Sentence, from: usize) -> bool {
        !self.concealed
            || self.context.about_security
            || contains_phrase(
                PhraseClass::Report,
                &format!("{} ", sentence.text.get(..from).unwrap_or_default()),
            )
    }

    /// The sentence with its neighbours: two before and one after.
    fn nearby_sentences(&self, index: usize) -> impl Iterator<Item = (usize, &Sentence)> {
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

    /// Whether a nearby sentence addresses a machine in a form for which `counts` is true.
    fn is_machine_addressed(
        &self,
        facts: &[SentencePhrases],
        index: usize,
        counts: impl Fn(&SentencePhrases) -> bool,
    ) -> bool {
        self.nearby_sentences(index).any(|(other, _)| facts.get(other).is_some_and(&counts))
    }

    /// Whether a nearby sentence addresses a machine in any form; weak forms count in hidden text only.
    fn is_machine_called(&self, facts: &[SentencePhrases], index: usize, concealed: bool) -> bool {
        self.is_machine_addressed(facts, index, |near| {
            near.address.is_some() || near.label.is_some() || (concealed && near.weak.is_some())
        })
    }

    /// Whether this or the next sentence requests something.
    fn has_request(&self, index: usize) -> bool {
        const WANTS: [PhraseClass; 5] = [
            PhraseClass::Promotion,
            PhraseClass::Output,
            PhraseClass::Act,
            PhraseClass::Exfiltration,
            PhraseClass::Secrecy,
        ];
        self.reading
            .sentences
            .iter()
            .skip(index)
            .take(2)
            .any(|sentence| WANTS.iter().any(|class| self.first_match(*class, sentence).is_some()))
    }

    fn check_sentence(
        &self,
        facts: &[SentencePhrases],
        index: usize,
        sentence: &Sentence,
    ) -> Option<InstructionHit> {
        if self.surface == "template" && role_markers::is_template(self.source_text(sentence)) {
            return None;
        }
        let here = facts.get(index)?;
        if let Some(phrase) = here.overrides
            && self.override_counts(facts, index, sentence, phrase)
        {
            return Some(self.new_hit(
                "override",
                self.concealed || phrase.disguised,
                phrase.at,
                None,
            ));
        }
        let addressed = self.is_machine_called(facts, index, self.concealed)
            && !phrase_context::addresses_people(sentence);
        if !addressed && !self.file {
            return None;
        }
        if let Some(phrase) = self.first_match(PhraseClass::Exfiltration, sentence)
            && (self.concealed || phrase_context::sends_user_secrets(sentence, phrase))
            && (self.concealed || !self.is_reported(index, sentence, phrase.from))
        {
            return Some(self.new_hit("exfiltration", self.concealed, phrase.at, None));
        }
        if let Some(phrase) = self.first_match(PhraseClass::Secrecy, sentence)
            && (self.concealed || !self.is_reported(index, sentence, phrase.from))
            && (!self.file || phrase_context::hides_from_user(sentence, phrase))
        {
            return Some(self.new_hit("secrecy", self.concealed, phrase.at, None));
        }
        if !self.concealed {
            return self.check_visible_promotion(facts, index, sentence);
        }
        let wanted = |(class, rule)| {
            self.first_match(class, sentence)
                .map(|phrase| self.new_hit(rule, true, phrase.at, None))
        };
        let judging = [
            (PhraseClass::SecrecyWide, "secrecy"),
            (PhraseClass::Promotion, "manipulates_ranking"),
        ];
        if let Some(hit) = judging.into_iter().find_map(wanted) {
            return Some(hit);
        }
        // "AI assistant: book a table" may be a button; a request that mentions the user is not.
        let spoken_to = self.is_machine_addressed(facts, index, |near| {
            near.address.is_some() || near.weak.is_some()
        });
        if !spoken_to && !phrase_context::mentions_user(sentence) {
            return None;
        }
        let doing =
            [(PhraseClass::Act, "concealed_action"), (PhraseClass::Output, "concealed_action")];
        let outright = self.is_machine_addressed(facts, index, |near| near.address.is_some());
        doing.into_iter().find_map(wanted).or_else(|| {
            (outright && !contains_phrase(PhraseClass::Benign, &sentence.text))
                .then(|| wanted((PhraseClass::Imperative, "concealed_action")))
                .flatten()
        })
    }

    /// Visible text that tells machines to praise or rank something. Notes to agents about the use of
    /// the site do not count.
    fn check_visible_promotion(
        &self,
        facts: &[SentencePhrases],
        index: usize,
        sentence: &Sentence,
    ) -> Option<InstructionHit> {
        let spoken_to =
            facts.get(index).is_some_and(|here| here.address.is_some() || here.label.is_some())
                || self.is_machine_addressed(facts, index, |near| near.address.is_some());
        if self.file || !spoken_to || contains_phrase(PhraseClass::Benign, &sentence.text) {
            return None;
        }
        let phrase = self
            .first_match(PhraseClass::Promotion, sentence)
            .filter(|phrase| phrase_context::ranks_or_recommends(sentence, *phrase))?;
        (!self.is_reported(index, sentence, phrase.from))
            .then(|| self.new_hit("manipulates_ranking", false, phrase.at, None))
    }

    fn override_counts(
        &self,
        facts: &[SentencePhrases],
        index: usize,
        sentence: &Sentence,
        phrase: PhraseMatch,
    ) -> bool {
        let concealed = self.concealed || phrase.disguised;
        if !concealed && self.is_reported(index, sentence, phrase.from) {
            return false;
        }
        if self.is_machine_called(facts, index, concealed) {
            return true;
        }
        // No machine is addressed. "The instructions for row 14" are for people.
        if phrase_context::is_limited_to_topic(sentence.after(phrase.to)) {
            return false;
        }
        if phrase.disguised {
            return true;
        }
        let words = sentence.text.get(phrase.from..phrase.to).unwrap_or_default();
        if !phrase_context::names_instructions(words) {
            return false;
        }
        if self.file {
            return true;
        }
        // Developers write "the previous instructions" (of a manual) in comments and templates:
        // there, as in visible text, the sentence must also request something.
        match self.surface {
            "comment" | "template" | "noscript" => {
                phrase_context::is_sweeping(words) || self.has_request(index)
            }
            _ if self.concealed => true,
            _ => self.has_request(index),
        }
    }

    /// Whether the words before a phrase show that it is reported: in its sentence or, if that sentence
    /// addresses no machine, in the one before.
    fn is_reported(&self, index: usize, sentence: &Sentence, from: usize) -> bool {
        if self.file {
            return false;
        }
        let before = format!("{} ", sentence.text.get(..from).unwrap_or_default());
        if contains_phrase(PhraseClass::Report, &before) {
            return true;
        }
        if contains_phrase(PhraseClass::Address, &sentence.text) {
            return false;
        }
        index.checked_sub(1).and_then(|previous| self.reading.sentences.get(previous)).is_some_and(
            |previous| {
                sentence.start.saturating_sub(previous.end) <= NEAR_BYTES
                    && contains_phrase(PhraseClass::Report, &previous.text)
            },
        )
    }

    fn source_text(&self, sentence: &Sentence) -> &str {
        self.text.get(sentence.start..sentence.end).unwrap_or_default()
    }

    fn check_role_markers(&self, hits: &mut Vec<InstructionHit>) {
        if !self.concealed || role_markers::is_template(self.text) {
            return;
        }
        for mark in role_markers::find_markers(self.text) {
            let quoted = self.reading.is_quoted(mark.at) && self.context.about_security;
            let around = self.reading.sentences.iter().filter(|sentence| {
                sentence.end.saturating_add(NEAR_BYTES) >= mark.at
                    && sentence.start <= mark.at.saturating_add(NEAR_BYTES)
            });
            // A chat format marker counts if words follow; other markers need an order nearby.
            let speaks = around.into_iter().any(|sentence| {
                mark.is_chat_format && sentence.end > mark.at && sentence.text.len() > 24
                    || contains_order(self.source_text(sentence))
            });
            if speaks && !quoted {
                hits.push(self.new_hit("role_tokens", true, mark.at, None));
                return;
            }
        }
    }

    /// Finds a base64 text that contains an override, or an order to decode one and follow it.
    fn check_encoded(&self, facts: &[SentencePhrases], hits: &mut Vec<InstructionHit>) {
        for (at, find_base64_texts) in base64_text::find_base64_texts(self.text) {
            let decoding_ordered =
                self.reading.sentences.iter().enumerate().any(|(index, sentence)| {
                    sentence.start <= at.saturating_add(NEAR_BYTES)
                        && at <= sentence.end.saturating_add(NEAR_BYTES)
                        && self.first_match(PhraseClass::Decode, sentence).is_some()
                        && (self.concealed || self.is_machine_called(facts, index, false))
                });
            let order = contains_override(&find_base64_texts) && (self.concealed || self.file);
            if decoding_ordered || order {
                hits.push(self.new_hit(
                    "encoded_instruction",
                    self.concealed,
                    at,
                    Some(&find_base64_texts),
                ));
                return;
            }
        }
    }
}

/// Whether decoded text tells its reader to ignore instructions.
fn contains_override(text: &str) -> bool {
    SplitPassage::from_text(text)
        .sentences
        .iter()
        .any(|sentence| contains_phrase(PhraseClass::Override, &sentence.text))
}

/// Whether text contains an order of any kind, or addresses a model.
fn contains_order(text: &str) -> bool {
    const ORDERS: [PhraseClass; 8] = [
        PhraseClass::Override,
        PhraseClass::Secrecy,
        PhraseClass::Address,
        PhraseClass::AddressWeak,
        PhraseClass::Promotion,
        PhraseClass::Exfiltration,
        PhraseClass::Act,
        PhraseClass::Output,
    ];
    SplitPassage::from_text(text)
        .sentences
        .iter()
        .any(|sentence| ORDERS.iter().any(|class| contains_phrase(*class, &sentence.text)))
}
