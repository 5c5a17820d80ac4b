use proptest::prelude::*;

use super::*;

fn parse(bytes: &[u8]) -> Vec<Event> {
    EventParser::new(1024).feed(bytes).unwrap()
}

fn event(name: &str, data: &str) -> Event {
    Event { name: name.into(), data: data.into(), id: None, retry_ms: None }
}

#[test]
fn the_examples_of_the_standard() {
    assert_eq!(parse(b"data: YHOO\ndata: +2\ndata: 10\n\n"), [event("message", "YHOO\n+2\n10")]);
    let events = parse(
        b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
    );
    assert_eq!(events.len(), 3);
    assert_eq!((events[0].data.as_str(), events[0].id.as_deref()), ("first event", Some("1")));
    assert_eq!((events[1].data.as_str(), events[1].id.as_deref()), ("second event", Some("")));
    assert_eq!(events[2].data, " third event");
    assert_eq!(
        parse(b"data\n\ndata\ndata\n\ndata:"),
        [event("message", ""), event("message", "\n")],
        "what is not ended by an empty line is no event"
    );
    assert_eq!(parse(b"data:test\n\ndata: test\n\n"), vec![event("message", "test"); 2]);
}

#[test]
fn every_line_end_the_byte_order_mark_and_odd_fields() {
    for text in [
        "event: a\ndata: x\n\n",
        "event: a\rdata: x\r\r",
        "event: a\r\ndata: x\r\n\r\n",
        "\u{feff}event: a\ndata: x\n\n",
    ] {
        assert_eq!(parse(text.as_bytes()), [event("a", "x")], "{text:?}");
    }
    // A mark counts only at the start, and names of fields are exact.
    assert_eq!(parse("\n\u{feff}data: x\n\n".as_bytes()), []);
    assert_eq!(parse(b"Data: x\n data: x\n\n"), []);
    let events = parse(b"retry: 250\ndata: x\n\nretry: 1x\ndata: y\n\n");
    assert_eq!((events[0].retry_ms, events[1].retry_ms), (Some(250), None));
    assert_eq!(parse(b"id: a\0b\ndata: x\n\n")[0].id, None);
    assert_eq!(parse(b"event: a\n\ndata: x\n\n"), [event("message", "x")], "a name without data");
    assert_eq!(parse(b"data: \xff\n\n"), [event("message", "\u{fffd}")]);
    assert_eq!(parse(b"retry: 99999999999999999999999\ndata:\n\n")[0].retry_ms, None);
}

#[test]
fn an_event_or_a_line_beyond_the_limit_is_an_error() {
    let feed = |bytes: &[u8]| EventParser::new(8).feed(bytes).map(|events| events.len());
    assert_eq!(feed(b"data:12\n\n"), Ok(1));
    assert_eq!(feed(b"data:12345\n\n"), Err(EventTooLarge));
    assert_eq!(feed(b"data:123\ndata:456\n\n"), Ok(1));
    assert_eq!(feed(b"data:123\ndata:456\ndata:789\n\n"), Err(EventTooLarge));
    assert_eq!(feed(b":23456789"), Err(EventTooLarge));
    assert_eq!(feed(&b":2345678\n".repeat(1000)), Ok(0), "comments do not add up");
}

proptest! {
    /// However the stream is cut into pieces, the events are the same.
    #[test]
    fn pieces_do_not_matter(
        text in "(data|event|id|retry|:|: |x|\r|\n|\r\n|\u{feff}|ü|1){0,60}",
        cuts in prop::collection::vec(1_usize..7, 1..40),
    ) {
        let whole = parse(text.as_bytes());
        let mut parser = EventParser::new(1024);
        let (mut events, mut rest) = (Vec::new(), text.as_bytes());
        for cut in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at((*cut).min(rest.len()));
            events.extend(parser.feed(piece).unwrap());
            rest = after;
        }
        prop_assert_eq!(events, whole);
    }

    /// Whatever comes, an event holds no more than the limit and nothing panics.
    #[test]
    fn any_bytes_give_bounded_events(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut parser = EventParser::new(64);
        if let Ok(events) = parser.feed(&bytes) {
            for event in events {
                // A byte that is not UTF-8 becomes a character of three bytes.
                prop_assert!(event.data.len() <= 64 * 3);
                prop_assert!(!event.data.contains('\r') && !event.name.contains(['\r', '\n']));
            }
        }
    }

    /// An event that was written by the rules is read as it was.
    #[test]
    fn written_events_come_back(name in "[a-z]{1,8}", lines in prop::collection::vec("[^\r\n\u{feff}]{0,20}", 1..6)) {
        let mut text = format!("event: {name}\n");
        for line in &lines {
            text.push_str(&format!("data: {line}\n"));
        }
        text.push('\n');
        prop_assert_eq!(parse(text.as_bytes()), vec![event(&name, &lines.join("\n"))]);
    }
}
