use super::*;
use declared::rights::{content_signal, tdmrep};
use declared::robots::Robots;
use proptest::prelude::*;

fn statement(mechanism: Mechanism, carrier: Carrier, effect: Effect) -> Statement {
    Statement {
        mechanism,
        carrier,
        uses: vec![(ContentUse::Train, effect)],
        agents: Vec::new(),
        path: None,
        raw: format!("{} {}", mechanism.as_str(), effect.as_str()),
        line: None,
        note: None,
    }
}

fn train(statements: &[Statement], access: &[AccessFact]) -> UseDecision {
    decide_uses(statements, access)[0].1
}

fn facts(class: AgentClass, allowed: &[bool]) -> Vec<AccessFact> {
    let fact = |(n, allowed): (usize, &bool)| AccessFact {
        token: format!("bot{n}"),
        class,
        allowed: *allowed,
    };
    allowed.iter().enumerate().map(fact).collect()
}

#[test]
fn the_strictest_statement_decides() {
    let allow = statement(Mechanism::ContentSignal, Carrier::Header, Effect::Allow);
    let terms = statement(Mechanism::Rsl, Carrier::File, Effect::Conditional);
    let never = statement(Mechanism::Aipref, Carrier::RobotsTxt, Effect::Disallow);
    for (given, value, by, conflicts) in [
        (vec![], RightsValue::Unknown, None, 0),
        (vec![&allow], RightsValue::Allowed, Some(0), 0),
        (vec![&allow, &terms], RightsValue::Conditional, Some(1), 1),
        (vec![&allow, &never, &terms], RightsValue::Disallowed, Some(1), 2),
        (vec![&never, &never], RightsValue::Disallowed, Some(0), 0),
    ] {
        let given: Vec<Statement> = given.into_iter().cloned().collect();
        let decided = train(&given, &[]);
        assert_eq!(decided.value, value, "{given:?}");
        assert_eq!(decided.decided_by, by.map(DecidedBy::Statement), "{given:?}");
        assert_eq!(decided.conflicts, conflicts, "{given:?}");
    }
    let other = decide_uses(&[never], &[]);
    assert!(other[1..].iter().all(|(_, decided)| decided.value == RightsValue::Unknown));
}

#[test]
fn of_equally_strict_ones_the_more_specific_is_named() {
    let mut path = statement(Mechanism::Aipref, Carrier::RobotsTxt, Effect::Disallow);
    path.path = Some("/news/".into());
    let mut group = statement(Mechanism::ContentSignal, Carrier::RobotsTxt, Effect::Disallow);
    group.agents = vec!["*".into()];
    let order = [
        statement(Mechanism::XRobotsTag, Carrier::Header, Effect::Disallow),
        statement(Mechanism::MetaRobots, Carrier::Meta, Effect::Disallow),
        path,
        group,
        statement(Mechanism::Rsl, Carrier::File, Effect::Disallow),
        statement(Mechanism::AiTxt, Carrier::File, Effect::Disallow),
    ];
    for from in 0..order.len() {
        let mut given = order[from..].to_vec();
        assert_eq!(train(&given, &[]).decided_by, Some(DecidedBy::Statement(0)));
        given.reverse();
        assert_eq!(train(&given, &[]).decided_by, Some(DecidedBy::Statement(given.len() - 1)));
    }
    // At the same place the fixed order of mechanisms.
    let rsl = statement(Mechanism::Rsl, Carrier::File, Effect::Disallow);
    let tdm = statement(Mechanism::Tdmrep, Carrier::File, Effect::Disallow);
    assert_eq!(train(&[tdm, rsl], &[]).decided_by, Some(DecidedBy::Statement(1)));
}

#[test]
fn access_counts_by_class() {
    let class = AgentClass::Train;
    for (allowed, value, specific) in [
        (&[][..], RightsValue::Unknown, false),
        (&[true, true], RightsValue::Unknown, false),
        (&[false, true], RightsValue::Conditional, true),
        (&[false, false], RightsValue::Disallowed, false),
    ] {
        let decided = train(&[], &facts(class, allowed));
        assert_eq!((decided.value, decided.agent_specific), (value, specific), "{allowed:?}");
        let by = (value != RightsValue::Unknown).then_some(DecidedBy::Access(class));
        assert_eq!(decided.decided_by, by);
    }
    // Search agents speak of grounding and citing, agents sent by people of grounding.
    let values = |class| {
        decide_uses(&[], &facts(class, &[false]))
            .map(|(_, decided)| decided.value == RightsValue::Disallowed)
    };
    assert_eq!(values(AgentClass::Train), [true, false, false, false, false]);
    assert_eq!(values(AgentClass::Search), [false, true, false, true, false]);
    assert_eq!(values(AgentClass::User), [false, true, false, false, false]);
    // A statement is named before access of the same strictness.
    let never = statement(Mechanism::AiTxt, Carrier::File, Effect::Disallow);
    assert_eq!(train(&[never], &facts(class, &[false])).decided_by, Some(DecidedBy::Statement(0)));
}

#[test]
fn a_signal_to_some_agents_is_a_condition() {
    let read = |file: &str| content_signal::from_robots(&Robots::parse(file.as_bytes())).statements;
    let some = train(&read("User-agent: GPTBot\nContent-Signal: ai-train=no\nAllow: /\n"), &[]);
    assert_eq!((some.value, some.agent_specific), (RightsValue::Conditional, true));
    let everyone = train(&read("User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n"), &[]);
    assert_eq!((everyone.value, everyone.agent_specific), (RightsValue::Disallowed, false));
    let granted = train(
        &read(
            "User-agent: *\nContent-Signal: ai-train=yes\nAllow: /\n\nUser-agent: GPTBot\nContent-Signal: ai-train=yes\nAllow: /\n",
        ),
        &[],
    );
    assert_eq!((granted.value, granted.conflicts), (RightsValue::Allowed, 0));
}

/// One CDN disallows in robots.txt and adds a header that allows.
#[test]
fn a_yes_in_the_header_against_a_no_in_the_file() {
    let mut statements = content_signal::from_robots(&Robots::parse(
        b"User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n",
    ))
    .statements;
    statements.extend(
        content_signal::parse_value("ai-train=yes, search=yes, ai-input=yes", Carrier::Header)
            .statements,
    );
    let decided = decide_uses(&statements, &[]);
    assert_eq!(decided[0].1.value, RightsValue::Disallowed);
    assert_eq!((decided[0].1.conflicts, decided[0].1.contradicted), (1, true));
    assert_eq!(decided[3].1.value, RightsValue::Allowed);
    assert_eq!((decided[3].1.conflicts, decided[3].1.contradicted), (0, false));
}

#[test]
fn tdmrep_carriers_are_ranked() {
    let file = tdmrep::from_file(br#"[{"location": "/", "tdm-reservation": 1}]"#, "/").statements;
    let header = tdmrep::from_headers(Some("0"), None).statements;
    let meta = tdmrep::from_meta(Some("1"), Some("https://s.example/p")).statements;
    let value = |parts: &[&[Statement]]| train(&parts.concat(), &[]).value;
    assert_eq!(value(&[&file]), RightsValue::Disallowed);
    assert_eq!(value(&[&file, &header]), RightsValue::Allowed);
    assert_eq!(value(&[&meta, &file, &header]), RightsValue::Conditional);
}

prop_compose! {
    fn any_statement()(
        mechanism in prop::sample::select(vec![Mechanism::Aipref, Mechanism::ContentSignal, Mechanism::Tdmrep, Mechanism::Rsl, Mechanism::XRobotsTag, Mechanism::MetaRobots, Mechanism::AiTxt, Mechanism::X402]),
        carrier in prop::sample::select(vec![Carrier::RobotsTxt, Carrier::Header, Carrier::Meta, Carrier::File, Carrier::Status]),
        uses in prop::collection::vec((prop::sample::select(ContentUse::ALL.to_vec()), prop::sample::select(vec![Effect::Allow, Effect::Conditional, Effect::Disallow])), 0..4),
        agents in prop::sample::select(vec![vec![], vec!["*".to_owned()], vec!["GPTBot".to_owned()]]),
        line in prop::option::of(1u32..5),
    ) -> Statement {
        Statement { mechanism, carrier, uses, agents, path: None, raw: mechanism.as_str().to_owned(), line, note: None }
    }
}

/// If the same statement is made for everyone and for some agents, the one for everyone decides,
/// whichever comes first.
#[test]
fn a_statement_for_everyone_decides_before_the_same_for_some() {
    let all = statement(Mechanism::Aipref, Carrier::Meta, Effect::Conditional);
    let some = Statement { agents: vec!["GPTBot".into()], ..all.clone() };
    for given in [[all.clone(), some.clone()], [some, all]] {
        for (what, decided) in decide_uses(&given, &[]) {
            assert!(!decided.agent_specific, "{}", what.as_str());
        }
    }
}

proptest! {
    #[test]
    fn the_order_of_statements_changes_no_outcome(
        (given, mixed) in prop::collection::vec(any_statement(), 0..8)
            .prop_flat_map(|given| (Just(given.clone()), Just(given).prop_shuffle())),
        allowed in prop::collection::vec(any::<bool>(), 0..4),
    ) {
        let access = facts(AgentClass::Train, &allowed);
        for ((what, a), (_, b)) in decide_uses(&given, &access).into_iter().zip(decide_uses(&mixed, &access)) {
            prop_assert_eq!(a.value, b.value, "{}", what.as_str());
            prop_assert_eq!((a.conflicts, a.contradicted, a.agent_specific), (b.conflicts, b.contradicted, b.agent_specific));
        }
    }

    #[test]
    fn one_more_prohibition_never_loosens(
        given in prop::collection::vec(any_statement(), 0..8),
        more in any_statement(),
        what in prop::sample::select(ContentUse::ALL.to_vec()),
        at in 0usize..9,
    ) {
        let before = decide_uses(&given, &[]);
        let mut with = given;
        let more = Statement { uses: vec![(what, Effect::Disallow)], agents: Vec::new(), ..more };
        with.insert(at.min(with.len()), more);
        for ((what, before), (_, after)) in before.into_iter().zip(decide_uses(&with, &[])) {
            prop_assert!(after.value >= before.value, "{} {:?} {:?}", what.as_str(), before, after);
        }
    }

    /// Unless TDMRep's own carriers outrank each other, one general prohibition settles the use.
    #[test]
    fn a_prohibition_to_everyone_prohibits(
        given in prop::collection::vec(any_statement(), 0..8),
        what in prop::sample::select(ContentUse::ALL.to_vec()),
    ) {
        let mut given = given;
        let never = statement(Mechanism::Aipref, Carrier::Header, Effect::Disallow);
        given.push(Statement { uses: vec![(what, Effect::Disallow)], ..never });
        for (other, decided) in decide_uses(&given, &[]) {
            if other == what {
                prop_assert_eq!(decided.value, RightsValue::Disallowed);
            }
        }
    }
}
