//! Whether a phrase is an order, and how far it reaches.

use super::look::Said;
use super::phrases::{Class, holds};
use super::sentence::Sentence;

/// Words before an order that deny it.
const DENIALS: [&str; 18] = [
    "not", "never", "t", "nicht", "no", "non", "nao", "ne", "pas", "не", "cannot", "without",
    "nor", "nie", "jamais", "nunca", "mai", "rarely",
];
/// Words before a phrase that make it a possibility, a report or a thing.
const TELLERS: [&str; 53] = [
    "can",
    "could",
    "may",
    "might",
    "would",
    "did",
    "does",
    "it",
    "they",
    "we",
    "i",
    "he",
    "she",
    "that",
    "which",
    "who",
    "people",
    "users",
    "attackers",
    "customers",
    "models",
    "the",
    "a",
    "an",
    "of",
    "by",
    "this",
    "our",
    "s",
    "how",
    "us",
    "where",
    "types",
    "typed",
    "typing",
    "wrote",
    "writes",
    "says",
    "said",
    "reads",
    "tells",
    "told",
    "called",
    "titled",
    "like",
    "trying",
    "tries",
    "tried",
    "why",
    "whether",
    "chatbots",
    "refuses",
    "say",
];
/// Words before "AI assistants should …" that make it a matter of debate.
const DEBATERS: [&str; 16] = [
    "why", "how", "whether", "that", "what", "when", "if", "think", "say", "says", "believe",
    "argue", "argues", "which", "where", "our",
];

/// Whether the words before a phrase make it a report, a wish or a denial instead of an order:
/// "you can ignore", "does not forget", "told to send", "the order".
pub(super) fn is_told_of(sentence: &Sentence, from: usize, class: Class) -> bool {
    let mut before = sentence.before(from);
    let (Some(last), second) = (before.next(), before.next().unwrap_or_default()) else {
        return false;
    };
    match class {
        // A loose order brings the word that makes it one.
        Class::Address | Class::AddressLabel | Class::Imperative => return false,
        Class::AddressWeak => return DEBATERS.contains(&last),
        _ => {}
    }
    let earlier = sentence.text.get(..from).unwrap_or_default();
    if matches!(class, Class::Secrecy | Class::SecrecyWide) {
        // "Never pay without asking" is the contrary of an order to keep quiet.
        let without = sentence.after(from).starts_with("without ");
        return without && DENIALS.iter().any(|no| earlier.contains(&format!(" {no} ")));
    }
    let to_you = || {
        earlier.contains(" you ")
            || holds(Class::Address, &sentence.text)
            || holds(Class::AddressWeak, &sentence.text)
    };
    match last {
        "will" | "shall" => !to_you(),
        "to" => {
            ["how", "want", "wants", "able", "ways", "way", "easy", "free"].contains(&second)
                || !to_you()
        }
        _ => DENIALS.contains(&last) || TELLERS.contains(&last),
    }
}

/// Whether an override is about one thing that people deal with: "… for row 14".
pub(super) fn is_narrow(after: &str) -> bool {
    const LIMITS: [&str; 20] = [
        "about",
        "for",
        "on",
        "regarding",
        "concerning",
        "in",
        "at",
        "under",
        "zu",
        "zur",
        "zum",
        "fur",
        "pour",
        "sur",
        "para",
        "sobre",
        "per",
        "о",
        "об",
        "для",
    ];
    const ORIGINS: [&str; 2] = ["from", "of"];
    /// What a model is given, which makes the limit none.
    const GIVEN: [&str; 16] = [
        "your",
        "this",
        "favour",
        "favor",
        "full",
        "user",
        "users",
        "system",
        "developer",
        "operator",
        "owner",
        "prompt",
        "conversation",
        "chat",
        "context",
        "deinem",
    ];
    let mut words = after.split(' ').filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    (LIMITS.contains(&first) || ORIGINS.contains(&first))
        && !words.take(2).any(|word| GIVEN.contains(&word))
}

/// Whether the words name what a model is given, and not some rule or task.
pub(super) fn names_instructions(words: &str) -> bool {
    const NAMES: [&str; 40] = [
        "instruction",
        "prompt",
        "guideline",
        "directive",
        "told",
        "programming",
        "anweisung",
        "instruktion",
        "befehl",
        "ordres",
        "ordini",
        "ordens",
        "规则",
        "vorgaben",
        "consigne",
        "instruccion",
        "indicacion",
        "ordenes",
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
        "system message",
        "systemanweisung",
        "regras",
        "regles",
        "reglas",
        "regole",
        "regeln",
        "правил",
    ];
    NAMES.iter().any(|name| words.contains(name))
}

/// Whether everything is to be set aside, or what the reader itself was told.
pub(super) fn sweeping(words: &str) -> bool {
    const WORDS: [&str; 14] = [
        " all ",
        " any ",
        " your ",
        " you ",
        " every ",
        " whatever ",
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

/// Whether something is kept from the person. A file for agents may well say what they need not
/// ask or show.
pub(super) fn keeps_quiet(sentence: &Sentence, said: Said) -> bool {
    const WORDS: [&str; 14] = [
        "tell",
        "inform",
        "notify",
        "alert",
        "disclos",
        "reveal",
        "mention",
        "secret",
        "hide",
        "hidden",
        "conceal",
        "know",
        "confidential",
        "warn",
    ];
    let words = sentence.text.get(said.from..said.to).unwrap_or_default();
    !words.is_ascii() || WORDS.iter().any(|word| words.contains(word))
}

/// Whether what is sent is plainly the person's, and goes to a named place. In the open, "send the
/// guest's name to the booking form" is how a service works.
pub(super) fn carries_off(sentence: &Sentence, said: Said) -> bool {
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

/// Whether a sentence turns from the machine to the person beside it.
pub(super) fn turns_to_people(sentence: &Sentence) -> bool {
    const TURNS: [&str; 8] = [
        " if you are a person ",
        " if you are human ",
        " if you are a human ",
        " human visitors ",
        " dear reader ",
        " dear visitor ",
        " dear customer ",
        " screen reader users ",
    ];
    TURNS.iter().any(|turn| sentence.text.contains(turn)) && !holds(Class::Address, &sentence.text)
}

/// Whether a sentence speaks of the person that a machine works for, as no label of a tool does.
pub(super) fn speaks_of_the_person(sentence: &Sentence) -> bool {
    const PERSONS: [&str; 15] = [
        " the user ",
        " the users ",
        " your user ",
        " their user ",
        " on behalf ",
        " the customer ",
        " the human ",
        " users ",
        " nutzer ",
        " utilisateur ",
        " usuario ",
        " utente ",
        " utilizador ",
        " пользователя ",
        "用户",
    ];
    PERSONS.iter().any(|person| sentence.text.contains(person))
}
