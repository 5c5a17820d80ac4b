use proptest::prelude::*;
use serde_json::json;

use super::*;

fn surface(pages: &[&str]) -> Surface {
    let mut builder = SurfaceBuilder::new();
    for page in pages {
        builder.add_page(ListKind::Tools, page.as_bytes()).unwrap();
    }
    builder.finish()
}

fn faults(item: &Item) -> Vec<FaultKind> {
    item.faults.iter().map(|fault| fault.kind).collect()
}

#[test]
fn the_public_clients_digests() {
    let surface =
        surface(&[r#"{"tools":[{"name":"b"},{"name":"a","description":"A","title":"T"}]}"#]);
    let tool = |name, description: serde_json::Value| {
        let form = json!({"annotations": null, "description": description, "inputSchema": null, "name": name});
        proof::sha256(form.to_string().as_bytes()).to_hex()
    };
    let (b, a) = (tool("b", json!(null)), tool("a", json!("A")));
    let mut all = [a.clone(), b.clone()];
    all.sort();
    assert_eq!(surface.items[0].digests.as_ref().unwrap().tool, Some(b));
    assert_eq!(surface.items[1].digests.as_ref().unwrap().tool, Some(a));
    let list = proof::sha256(all.join("\n").as_bytes()).to_hex();
    assert_eq!(surface.digests.tools, Some(list));
}

#[test]
fn pages_are_joined_and_positions_stay_right() {
    let surface = surface(&[
        r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"},{"name":"b"}],"nextCursor":""}}"#,
        r#"{"tools":[{"name":"c"},{"name":"a","x":{"k":1,"k":2}}]}"#,
    ]);
    let places: Vec<_> =
        surface.items.iter().map(|item| (item.index, item.name.as_str())).collect();
    assert_eq!(places, [(0, "a"), (1, "b"), (2, "c"), (3, "a")]);
    assert_eq!(faults(&surface.items[3]), [FaultKind::DuplicateKey, FaultKind::DuplicateName]);
    assert_eq!(surface.items[3].faults[0].pointer, "/x/k");
    assert_eq!(surface.pages, 2);
}

#[test]
fn bad_items_have_faults_and_nothing_panics() {
    let deep = format!("{}{}", "[".repeat(120), "]".repeat(120));
    let page = format!(
        r#"[7, {{"name":""}}, {{"name":"a\u0007"}}, {{"name":"n","x":9223372036854775807}}, {{"name":"d","x":{deep}}}]"#
    );
    let surface = surface(&[&page]);
    let kinds: Vec<_> = surface.items.iter().map(faults).collect();
    assert_eq!(kinds[0], [FaultKind::NotAnObject, FaultKind::NoName]);
    assert_eq!(kinds[1], [FaultKind::NoName]);
    assert_eq!(kinds[2], [FaultKind::ControlInName]);
    assert_eq!(kinds[3], [FaultKind::UnsafeInteger]);
    assert_eq!(kinds[4], [FaultKind::TooDeep]);
    assert!(surface.items[3].digests.is_some() && surface.items[4].digests.is_none());
    assert_eq!(surface.digests.surface, None);
}

#[test]
fn too_much_or_unreadable_is_incomplete() {
    let many = json!((0..2_001).map(|n| json!({"name": format!("t{n}")})).collect::<Vec<_>>());
    let mut builder = SurfaceBuilder::new();
    assert_eq!(builder.add_page(ListKind::Tools, many.to_string().as_bytes()), Ok(2_000));
    let surface = builder.finish();
    assert!(
        !surface.is_complete()
            && surface.digests.surface.is_none()
            && surface.digests.tools.is_none()
    );
    for (page, fault) in [
        ("{", PageFault::NotJson),
        (r#"{"error":{"code":-32601}}"#, PageFault::ErrorResponse),
        (r#"{"prompts":[]}"#, PageFault::NoList),
        (&"[".repeat(300), PageFault::TooDeep),
    ] {
        let mut builder = SurfaceBuilder::new();
        assert_eq!(builder.add_page(ListKind::Tools, page.as_bytes()), Err(fault), "{page}");
        assert!(!builder.finish().is_complete());
    }
    let three_hundred_and_one =
        json!((0..301).map(|n| json!({"name": format!("t{n}")})).collect::<Vec<_>>());
    let mut builder = SurfaceBuilder::new();
    builder.add_page(ListKind::Tools, three_hundred_and_one.to_string().as_bytes()).unwrap();
    let surface = builder.finish();
    assert!(surface.digests.surface.is_some() && surface.digests.tools.is_none());
}

#[test]
fn the_contract_is_without_prose_but_keeps_inputs_called_title() {
    let digests = |schema: serde_json::Value| {
        let page = json!([{"name": "a", "inputSchema": schema}]).to_string();
        surface(&[&page]).items[0].digests.clone().unwrap()
    };
    let plain = digests(json!({"properties": {"title": {"type": "string"}}}));
    let described = digests(
        json!({"description": "d", "properties": {"title": {"type": "string", "examples": ["e"]}}}),
    );
    let without = digests(json!({"properties": {}}));
    assert_eq!(plain.contract, described.contract);
    assert_ne!(plain.definition, described.definition);
    assert_ne!(plain.contract, without.contract);
}

#[test]
fn all_lists_of_a_caller_are_read() {
    let observed = json!({"tools": [{"name": "t"}], "prompts": [{"name": "p"}], "resources": [{"uri": "a://"}],
        "resourceTemplates": [{"uriTemplate": "a://{x}"}], "instructions": "Use it."});
    let mut builder = SurfaceBuilder::new();
    assert_eq!(builder.add_observed(observed.to_string().as_bytes()), Ok(4));
    let surface = builder.finish();
    assert!(ListKind::ALL.iter().all(|list| surface.list(*list).count() == 1));
    assert_eq!(surface.digests.instructions, Some(proof::sha256(b"Use it.").to_hex()));
    assert!(SurfaceBuilder::new().add_observed(b"{}").is_err());
    assert!(SurfaceBuilder::new().add_observed(br#"{"tools":{}}"#).is_err());
}

proptest! {
    #[test]
    fn any_bytes_are_a_page_or_a_fault(bytes: Vec<u8>) {
        let mut builder = SurfaceBuilder::new();
        let added = builder.add_page(ListKind::Tools, &bytes);
        let surface = builder.finish();
        prop_assert_eq!(added.is_ok(), surface.is_complete());
    }

    /// The order of tools and of members does not matter.
    #[test]
    fn digests_do_not_depend_on_the_order(names in prop::collection::btree_set("[a-z]{1,6}", 1..8)) {
        let item = |name: &String| format!(r#"{{"name":"{name}","description":"d"}}"#);
        let turned = |name: &String| format!(r#"{{"description":"d","name":"{name}"}}"#);
        let one: Vec<String> = names.iter().map(item).collect();
        let other: Vec<String> = names.iter().rev().map(turned).collect();
        let one = surface(&[&format!("[{}]", one.join(","))]);
        let other = surface(&[&format!("[{}]", other.join(","))]);
        prop_assert_eq!(one.digests, other.digests);
    }
}
