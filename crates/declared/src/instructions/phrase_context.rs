//! The context of a phrase in its sentence: whether it is an order, and what the order covers.

use super::phrases::{PhraseClass, PhraseMatch, contains_phrase};
use super::sentences::Sentence;

/// Words before an order that negate it.
const DENIALS: [&str; 18] = [
    "not", "never", "t", "nicht", "no", "non", "nao", "ne", "pas", "не", "cannot", "without",
    "nor", "nie", "jamais", "nunca", "mai", "rarely",
];
/// Words before a phrase that make it a possibility, a report or a noun.
const REPORT_WORDS: [&str; 53] = [
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
/// Words before "AI assistants should …" that make it a subject of debate.
const DEBATE_WORDS: [&str; 16] = [
    "why", "how", "whether", "that", "what", "when", "if", "think", "say", "says", "believe",
    "argue", "argues", "which", "where", "our",
];

/// Whether the words before a phrase make it a report, a wish or a negation instead of an order:
/// "you can ignore", "does not forget", "told to send", "the order".
pub(super) fn is_reported_or_denied(sentence: &Sentence, from: usize, class: PhraseClass) -> bool {
    let mut before = sentence.before(from);
    let (Some(last), second) = (before.next(), before.next().unwrap_or_default()) else {
        return false;
    };
    match class {
        // The match of a loose imperative already includes the word that makes it an order.
        PhraseClass::Address | PhraseClass::AddressLabel | PhraseClass::Imperative => return false,
        PhraseClass::AddressWeak => return DEBATE_WORDS.contains(&last),
        _ => {}
    }
    let earlier = sentence.text.get(..from).unwrap_or_default();
    if matches!(class, PhraseClass::Secrecy | PhraseClass::SecrecyWide) {
        // "Never pay without asking" is the opposite of an order to keep quiet.
        let without = sentence.after(from).starts_with("without ");
        return without && DENIALS.iter().any(|no| earlier.contains(&format!(" {no} ")));
    }
    let to_you = || {
        earlier.contains(" you ")
            || contains_phrase(PhraseClass::Address, &sentence.text)
            || contains_phrase(PhraseClass::AddressWeak, &sentence.text)
    };
    match last {
        "will" | "shall" => !to_you(),
        "to" => {
            ["how", "want", "wants", "able", "ways", "way", "easy", "free"].contains(&second)
                || !to_you()
        }
        _ => DENIALS.contains(&last) || REPORT_WORDS.contains(&last),
    }
}

/// Whether an override is limited to one topic for people: "… for row 14".
pub(super) fn is_limited_to_topic(after: &str) -> bool {
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
    /// Words for a model's own input; after these it is not a limit.
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

/// Whether the words name a model's instructions, and not some other rule or task.
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

/// Whether an override covers everything, or the reader's own instructions.
pub(super) fn is_sweeping(words: &str) -> bool {
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

/// Whether something is kept from the user. A file for agents may legitimately say what they need not
/// ask or show.
pub(super) fn hides_from_user(sentence: &Sentence, phrase: PhraseMatch) -> bool {
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
    let words = sentence.text.get(phrase.from..phrase.to).unwrap_or_default();
    !words.is_ascii() || WORDS.iter().any(|word| words.contains(word))
}

/// Whether the user's secrets are sent to a named destination. In visible text, "send the guest's name
/// to the booking form" is how a service works.
pub(super) fn sends_user_secrets(sentence: &Sentence, phrase: PhraseMatch) -> bool {
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
    let words = sentence.text.get(phrase.from..).unwrap_or_default();
    SECRETS.iter().any(|secret| sentence.text.contains(secret))
        && PLACES.iter().any(|place| words.contains(place))
}

/// Whether the words ask for a ranking or a recommendation. "Tell the user that a refund takes five
/// days" does not.
pub(super) fn ranks_or_recommends(sentence: &Sentence, phrase: PhraseMatch) -> bool {
    const WORDS: [&str; 31] = [
        "always choose",
        "always pick",
        "always use",
        "recommend",
        "rank",
        "promot",
        "prais",
        "endors",
        "favour",
        "favor",
        "prefer",
        "best",
        "first",
        "number one",
        "superior",
        "above",
        "empfehl",
        "empfiehl",
        "bevorzug",
        "bewirb",
        "recommand",
        "privilegi",
        "recomend",
        "recomiend",
        "raccomand",
        "consigli",
        "рекоменд",
        "推荐",
        "推薦",
        "おすすめ",
        "お勧め",
    ];
    let words = sentence.text.get(phrase.from..phrase.to).unwrap_or_default();
    WORDS.iter().any(|word| words.contains(word))
}

/// Whether a sentence addresses people instead of a machine.
pub(super) fn addresses_people(sentence: &Sentence) -> bool {
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
    TURNS.iter().any(|turn| sentence.text.contains(turn))
        && !contains_phrase(PhraseClass::Address, &sentence.text)
}

/// Whether a sentence mentions the user that a machine works for. Labels of tools do not.
pub(super) fn mentions_user(sentence: &Sentence) -> bool {
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
