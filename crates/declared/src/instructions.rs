//! Text on a page that tells AI agents what to do.
//!
//! Most text that looks like it is harmless: articles about injection, notes to crawlers, notices to
//! people, developers' remarks. So no phrase alone decides. A sentence counts when it speaks to a
//! machine and tells it to set aside or hide what it was told; when it speaks to a machine, wants
//! something done, and is kept from human eyes; or when it is written so that nobody can see it.
//! Sentences that are quoted or told of do not count. Files that are instructions by design count
//! only when they override, hide, or carry something off.

mod encoded;
mod fold;
mod invisible;
mod phrases;
mod roles;
mod sentence;
#[cfg(test)]
mod tests;

use fold::is_invisible;
use phrases::{Class, find, holds};
use sentence::{Reading, Sentence};

/// Hits reported of one page.
const MAX_HITS: usize = 20;
/// Hits of one passage, so that one does not hide the others.
const MAX_HITS_OF_PASSAGE: usize = 5;
/// Bytes read of one passage, and of all together.
const MAX_PASSAGE: usize = 1 << 20;
const MAX_TOTAL: usize = 4 << 20;
/// Characters of an excerpt and of a decoded text.
const MAX_EXCERPT: usize = 160;
const MAX_DECODED: usize = 400;
/// Sentences further apart than this have nothing to do with each other.
const NEAR_BYTES: usize = 600;

/// A piece of text and where on the page it stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage<'a> {
    /// `visible`, `css_hidden`, `hidden_attribute`, `comment`, `noscript`, `template`,
    /// `attribute`, `meta`, `json_ld`, `svg_text`, `header`, or `file` for a file that is
    /// instructions by design (llms.txt, agents.md). Any other name counts as visible.
    pub surface: &'a str,
    pub text: &'a str,
}

/// What is known of the page as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Context {
    /// These passages were served to AI identities and not to the browser.
    pub only_ai: bool,
    /// The page's subject is prompt injection or the security of models: see [`about_security`].
    pub about_security: bool,
}

/// One place that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub surface: String,
    /// `override`, `secrecy`, `exfiltration`, `manipulates_ranking`, `concealed_action`,
    /// `role_tokens`, `encoded_instruction` or `invisible_text`.
    pub rule: &'static str,
    /// Whether a person who reads the page would not see it.
    pub concealed: bool,
    /// Where it begins in the passage, in bytes.
    pub offset: usize,
    /// At most 160 characters, invisible ones named.
    pub excerpt: String,
    /// What invisible, reversed or encoded characters say.
    pub decoded: Option<String>,
}

/// Finds what counts, in the order of the passages; at most twenty hits.
#[must_use]
pub fn detect(passages: &[Passage<'_>], context: Context) -> Vec<Hit> {
    let mut hits = Vec::new();
    let mut left = MAX_TOTAL;
    for passage in passages {
        let text = beginning(passage.text, MAX_PASSAGE.min(left));
        left = left.saturating_sub(text.len());
        let mut found = Look::new(passage.surface, text, context).hits();
        found.sort_by_key(|hit| hit.offset);
        found.truncate(MAX_HITS_OF_PASSAGE);
        hits.append(&mut found);
        if hits.len() >= MAX_HITS || left == 0 {
            break;
        }
    }
    hits.truncate(MAX_HITS);
    hits
}

/// Whether a page's subject is prompt injection or the security of models. A title that says so is
/// enough; otherwise the text must come back to it, for a single mention is easily planted.
#[must_use]
pub fn about_security(title: Option<&str>, text: &str) -> bool {
    const MENTIONS: usize = 3;
    const READ: usize = 128 << 10;
    let sentences = |text| Reading::of(beginning(text, READ)).sentences;
    if sentences(title.unwrap_or_default()).iter().any(|title| holds(Class::Topic, &title.text)) {
        return true;
    }
    let mut mentions = 0_usize;
    for sentence in sentences(text) {
        mentions = mentions.saturating_add(find(Class::Topic, &sentence.text).len());
        if mentions >= MENTIONS {
            return true;
        }
    }
    false
}

fn beginning(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or_default()
}

/// A phrase that is said, not quoted and not told of.
#[derive(Debug, Clone, Copy)]
struct Said {
    /// In the folded sentence.
    from: usize,
    to: usize,
    at: usize,
    disguised: bool,
}

/// The phrases of one sentence that every passage is searched for.
#[derive(Default)]
struct Facts {
    address: Option<Said>,
    weak: Option<Said>,
    overrides: Option<Said>,
}

struct Look<'a> {
    surface: &'a str,
    text: &'a str,
    context: Context,
    /// Kept from the eyes of people.
    concealed: bool,
    file: bool,
    reading: Reading,
}

impl<'a> Look<'a> {
    fn new(surface: &'a str, text: &'a str, context: Context) -> Self {
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

    fn hits(&self) -> Vec<Hit> {
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
        let address = self.first(Class::Address, sentence);
        let mut overrides = self.first(Class::Override, sentence);
        if overrides.is_none() {
            overrides = self.first(Class::Glued, sentence).filter(|glued| glued.disguised);
        }
        Facts { address, weak: self.first(Class::AddressWeak, sentence), overrides }
    }

    /// The first phrase of a class that is said in a sentence.
    fn first(&self, class: Class, sentence: &Sentence) -> Option<Said> {
        find(class, &sentence.text).into_iter().find_map(|(from, to)| {
            let at = sentence.word_at(from).map_or(sentence.start, |word| word.at);
            let speaks = matches!(class, Class::Address | Class::AddressWeak);
            if !speaks && is_told_of(sentence, from, class) {
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

    fn addressed(&self, facts: &[Facts], index: usize, concealed: bool) -> bool {
        self.near(index).any(|(other, _)| {
            facts
                .get(other)
                .is_some_and(|facts| facts.address.is_some() || (concealed && facts.weak.is_some()))
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
        let addressed = self.addressed(facts, index, self.concealed);
        if !addressed && !self.file {
            return None;
        }
        if let Some(said) = self.first(Class::Exfiltration, sentence)
            && (self.concealed || carries_off(sentence, said))
            && (self.concealed || !self.reported(index, sentence, said.from))
        {
            return Some(self.hit("exfiltration", self.concealed, said.at, None));
        }
        if let Some(said) = self.first(Class::Secrecy, sentence)
            && (self.concealed || !self.reported(index, sentence, said.from))
        {
            return Some(self.hit("secrecy", self.concealed, said.at, None));
        }
        if !self.concealed {
            return None;
        }
        let wanted = [
            (Class::Promotion, "manipulates_ranking"),
            (Class::Act, "concealed_action"),
            (Class::Output, "concealed_action"),
        ];
        wanted.into_iter().find_map(|(class, rule)| {
            self.first(class, sentence).map(|said| self.hit(rule, true, said.at, None))
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
        if self.addressed(facts, index, concealed) {
            return true;
        }
        // Nobody is spoken to. "The instructions for row 14" are for people.
        if is_narrow(sentence.after(said.to)) {
            return false;
        }
        if said.disguised {
            return true;
        }
        let words = sentence.text.get(said.from..said.to).unwrap_or_default();
        if !names_instructions(words) {
            return false;
        }
        if self.file {
            return true;
        }
        // Developers write to each other in comments and moulds, and say "the previous
        // instructions" of a manual: there, as in plain sight, something must be wanted as well.
        match self.surface {
            "comment" | "template" | "noscript" => sweeping(words) || self.wants(index),
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
                    && (self.concealed || self.addressed(facts, index, false))
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

/// Whether the words before a phrase make it a report, a wish or a denial instead of an order:
/// "you can ignore", "does not forget", "told to send", "the order".
fn is_told_of(sentence: &Sentence, from: usize, class: Class) -> bool {
    let mut before = sentence.before(from);
    let (Some(last), second) = (before.next(), before.next().unwrap_or_default()) else {
        return false;
    };
    let to_you = || {
        sentence.text.get(..from).is_some_and(|before| before.contains(" you "))
            || holds(Class::Address, &sentence.text)
            || holds(Class::AddressWeak, &sentence.text)
    };
    match last {
        "not" | "never" | "t" | "nicht" | "no" | "non" | "nao" | "ne" | "pas" | "не" | "cannot"
        | "without" | "nor" | "nie" | "jamais" | "nunca" | "mai" | "refuses" | "rarely" => {
            class != Class::Secrecy
        }
        "can" | "could" | "may" | "might" | "would" | "did" | "does" | "cant" => true,
        "it" | "they" | "we" | "i" | "he" | "she" | "that" | "which" | "who" | "people"
        | "users" | "attackers" | "customers" | "models" | "the" | "a" | "an" | "of" | "by"
        | "this" | "our" | "s" | "how" | "us" | "where" => true,
        "will" | "shall" => !to_you(),
        "to" => {
            matches!(second, "how" | "want" | "wants" | "able" | "ways" | "way" | "easy" | "free")
                || !to_you()
        }
        _ => false,
    }
}

/// Whether an override is about one thing that people deal with: "… for row 14".
fn is_narrow(after: &str) -> bool {
    let mut words = after.split(' ').filter(|word| !word.is_empty());
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    matches!(
        first,
        "about"
            | "for"
            | "on"
            | "regarding"
            | "concerning"
            | "in"
            | "at"
            | "under"
            | "zu"
            | "zur"
            | "zum"
            | "fur"
            | "pour"
            | "sur"
            | "para"
            | "sobre"
            | "per"
            | "sul"
            | "sulla"
            | "о"
            | "об"
            | "для"
    ) && !matches!(
        second,
        "your" | "this" | "favour" | "favor" | "full" | "their" | "tu" | "deinem"
    )
}

/// Whether the words name what a model is given, and not some rule or task.
fn names_instructions(words: &str) -> bool {
    const NAMES: [&str; 26] = [
        "instruction",
        "prompt",
        "guideline",
        "directive",
        "told",
        "programming",
        "anweisung",
        "instruktion",
        "vorgaben",
        "consigne",
        "instruccion",
        "indicacion",
        "istruzion",
        "direttiv",
        "instruco",
        "orientac",
        "инструкц",
        "указани",
        "команд",
        "指令",
        "指示",
        "提示",
        "命令",
        "プロンプト",
        "bound",
        "your",
    ];
    NAMES.iter().any(|name| words.contains(name))
}

/// Whether everything is to be set aside, or what the reader itself was told.
fn sweeping(words: &str) -> bool {
    const WORDS: [&str; 13] = [
        " all ",
        " any ",
        " your ",
        " you ",
        " every ",
        " alle ",
        " toutes ",
        " todas ",
        " tutte ",
        " все ",
        "所有",
        "すべて",
        "全部",
    ];
    let words = format!(" {words} ");
    WORDS.iter().any(|word| words.contains(word))
}

/// Whether what is sent is plainly the person's, and goes to a named place. In the open, "send the
/// guest's name to the booking form" is how a service works.
fn carries_off(sentence: &Sentence, said: Said) -> bool {
    const SECRETS: [&str; 17] = [
        "conversation",
        "chat",
        "transcript",
        "history",
        "password",
        "credential",
        "cookie",
        "private key",
        "ssh",
        "id rsa",
        "environment variable",
        "env file",
        "inbox",
        "system prompt",
        "seed phrase",
        "secrets",
        "one time code",
    ];
    const PLACES: [&str; 6] = [" https ", " http ", " www ", " @ ", " webhook ", " pastebin "];
    let words = sentence.text.get(said.from..).unwrap_or_default();
    SECRETS.iter().any(|secret| sentence.text.contains(secret))
        && PLACES.iter().any(|place| words.contains(place))
}

/// The beginning of a text with invisible characters named and blanks squeezed.
fn shown(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut length = 0_usize;
    let mut chars = text.chars().peekable();
    let mut blank = false;
    while let Some(c) = chars.next() {
        let mut piece = String::new();
        if is_invisible(c) {
            let mut same = 1_usize;
            while chars.next_if(|next| is_invisible(*next)).is_some() {
                same = same.saturating_add(1);
            }
            piece = format!("[U+{:04X}", u32::from(c));
            if same > 1 {
                piece.push_str(&format!(" and {} more", same.saturating_sub(1)));
            }
            piece.push(']');
        } else if c.is_whitespace() || c.is_control() {
            if !blank && !out.is_empty() {
                piece.push(' ');
            }
        } else {
            piece.push(c);
        }
        blank = c.is_whitespace() || c.is_control();
        let long = piece.chars().count();
        if length.saturating_add(long) > most {
            break;
        }
        length = length.saturating_add(long);
        out.push_str(&piece);
    }
    out.truncate(out.trim_end().len());
    out
}
