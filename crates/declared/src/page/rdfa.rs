//! RDFa Lite in the vocabulary of schema.org, as items like those of microdata.

use super::microdata::{MicrodataAttributes, MicrodataCollector, MicrodataItem, PendingValue};

/// How many prefixes of one page are remembered.
const MAX_PREFIXES: usize = 10;
/// How many terms of one attribute are read.
const MAX_TERMS: usize = 10;

/// The RDFa Lite attributes of one element.
#[derive(Default)]
pub(super) struct RdfaAttributes<'a> {
    pub(super) vocabulary: Option<&'a str>,
    pub(super) types: Option<&'a str>,
    pub(super) property: Option<&'a str>,
    pub(super) resource: Option<&'a str>,
    pub(super) prefix: Option<&'a str>,
}

impl RdfaAttributes<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.vocabulary.is_none()
            && self.types.is_none()
            && self.property.is_none()
            && self.resource.is_none()
            && self.prefix.is_none()
    }
}

/// What applies to the properties inside an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct RdfaScope {
    item: Option<usize>,
    /// Whether terms without a prefix are those of schema.org.
    is_schema_org: bool,
}

#[derive(Default)]
pub(super) struct RdfaCollector {
    items: MicrodataCollector,
    /// Prefixes that the page declares for schema.org.
    prefixes: Vec<String>,
}

impl RdfaCollector {
    /// Reads the attributes of an element. `value` is what other attributes state as the value of its
    /// property. Returns the scope inside the element, and where to put its text if that is the value.
    pub(super) fn open_element(
        &mut self,
        marks: &RdfaAttributes<'_>,
        outer: RdfaScope,
        value: Option<&str>,
    ) -> (RdfaScope, Option<PendingValue>) {
        if let Some(prefix) = marks.prefix {
            self.declare_prefixes(prefix);
        }
        let is_schema_org = marks.vocabulary.map_or(outer.is_schema_org, is_schema_org);
        let scope = RdfaScope { is_schema_org, ..outer };
        let names = self.terms(marks.property, is_schema_org);
        if let Some(types) = marks.types {
            // Of other vocabularies too: what is inside does not describe the item around.
            let types = self.terms(Some(types), is_schema_org);
            let item = self.items.open_item(
                &MicrodataAttributes {
                    scope: true,
                    property: Some(names.as_str()).filter(|names| !names.is_empty()),
                    types: Some(&types),
                    id: marks.resource.or(value),
                    references: None,
                },
                outer.item,
            );
            return (RdfaScope { item, ..scope }, None);
        }
        if names.is_empty() {
            // More about an item that is described elsewhere on the page.
            let item = match (marks.resource, marks.property) {
                (Some(id), None) => self.items.open_item(
                    &MicrodataAttributes {
                        scope: true,
                        id: Some(id),
                        ..MicrodataAttributes::default()
                    },
                    None,
                ),
                _ => outer.item,
            };
            return (RdfaScope { item, ..scope }, None);
        }
        let value = marks.resource.or(value);
        (scope, self.items.add_property(&names, value, outer.item, Vec::new))
    }

    pub(super) fn fill_value(&mut self, slot: PendingValue, value: &str) {
        self.items.fill_value(slot, value);
    }

    /// All items. Further statements about an item are added to the first one with its id.
    pub(super) fn finish(self) -> Vec<MicrodataItem> {
        let mut items = self.items.finish();
        for at in 0..items.len() {
            let further = match items.get_mut(at) {
                Some(item) if item.types.is_empty() && item.id.is_some() => {
                    std::mem::take(&mut item.properties)
                }
                _ => continue,
            };
            let id = items.get(at).and_then(|item| item.id.clone());
            let typed = items.iter_mut().find(|item| item.id == id && !item.types.is_empty());
            if let Some(item) = typed {
                item.properties.extend(further);
            }
        }
        items
    }

    fn declare_prefixes(&mut self, written: &str) {
        let mut words = written.split_ascii_whitespace();
        while let (Some(prefix), Some(address)) = (words.next(), words.next()) {
            let Some(prefix) = prefix.strip_suffix(':') else { return };
            if is_schema_org(address) && self.prefixes.len() < MAX_PREFIXES {
                self.prefixes.push(prefix.to_ascii_lowercase());
            }
        }
    }

    /// The terms of schema.org among the words of an attribute, without their prefixes.
    fn terms(&self, written: Option<&str>, is_schema_org: bool) -> String {
        let words = written.unwrap_or_default().split_ascii_whitespace().take(MAX_TERMS);
        let terms = words.filter_map(|word| match word.split_once(':') {
            None => is_schema_org.then_some(word),
            Some((_, address)) if address.starts_with("//") => schema_org_term(word),
            Some((prefix, name)) => {
                let prefix = prefix.to_ascii_lowercase();
                let is_known = prefix == "schema" || self.prefixes.contains(&prefix);
                is_known.then_some(name)
            }
        });
        terms.collect::<Vec<_>>().join(" ")
    }
}

fn is_schema_org(vocabulary: &str) -> bool {
    schema_org_term(vocabulary.trim()).is_some()
}

/// The part of an address of schema.org behind the host.
fn schema_org_term(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("//")?;
    let rest = rest.strip_prefix("www.").unwrap_or(rest).strip_prefix("schema.org")?;
    match rest {
        "" => Some(""),
        rest => rest.strip_prefix(['/', '#']),
    }
}

#[cfg(test)]
mod tests {
    use crate::page::{MicrodataItem, MicrodataValue, Page};

    fn items(html: &str) -> Vec<MicrodataItem> {
        Page::read(html.as_bytes(), None).rdfa
    }

    fn texts(item: &MicrodataItem) -> Vec<(&str, &str)> {
        item.properties
            .iter()
            .filter_map(|(name, value)| match value {
                MicrodataValue::Text(text) => Some((name.as_str(), text.as_str())),
                MicrodataValue::Item(_) => None,
            })
            .collect()
    }

    #[test]
    fn items_have_the_terms_of_schema_org_however_they_are_written() {
        for html in [
            "<div vocab='https://schema.org/' typeof=Store resource='#us'><b property=name>Tin</b>\
             <a property=url href='/x'>here</a><meta property=telephone content='020'></div>",
            "<div typeof='schema:Store' resource='#us'><b property='schema:name'>Tin</b>\
             <a property='schema:url' href='/x'>here</a><meta property='schema:telephone' content='020'></div>",
            "<html prefix='s: http://schema.org/ og: http://ogp.me/ns#'><body><div typeof='s:Store' resource='#us'>\
             <b property='s:name'>Tin</b><a property='s:url' href='/x'>here</a><meta property='s:telephone' content='020'></div>",
            "<div typeof='http://schema.org/Store' resource='#us'><b property='http://schema.org/name'>Tin</b>\
             <a property='https://schema.org/url' href='/x'>here</a><meta property='http://schema.org/telephone' content='020'></div>",
        ] {
            let items = items(html);
            assert_eq!(items.len(), 1, "{html}");
            assert_eq!(
                (items[0].types.as_slice(), items[0].id.as_deref()),
                (&["Store".to_owned()][..], Some("#us"))
            );
            assert_eq!(
                texts(&items[0]),
                [("name", "Tin"), ("url", "/x"), ("telephone", "020")],
                "{html}"
            );
        }
    }

    #[test]
    fn other_vocabularies_are_left_out() {
        assert_eq!(items("<meta property='og:title' content=x><p property=name>y</p>"), []);
        let items = items(
            "<div vocab='https://schema.org/' typeof=Store><div vocab='http://xmlns.com/foaf/0.1/' typeof=Person>\
             <b property=name>Ann</b></div><b property=name>Tin</b></div>",
        );
        assert_eq!(texts(&items[0]), [("name", "Tin")]);
        assert!(items[1].types.is_empty() && items[1].properties.is_empty());
    }

    #[test]
    fn items_are_nested_and_continued() {
        let items = items(
            "<div vocab='https://schema.org/'><div typeof=Store resource='#us'><b property=name>Tin</b>\
             <p property=address typeof=PostalAddress><i property=postalCode>LS1 1AA</i></p></div>\
             <footer resource='#us'><i property=telephone>020</i></footer></div>",
        );
        assert_eq!(texts(&items[0]), [("name", "Tin"), ("telephone", "020")]);
        assert_eq!(items[0].properties[1], ("address".to_owned(), MicrodataValue::Item(1)));
        assert!(items[1].nested);
    }

    proptest::proptest! {
        #[test]
        fn any_markup_is_read(html in "(<div |<b |</div>|vocab='https://schema.org/' |typeof=Store |property=name |resource='#a' |prefix='s: http://schema.org/' |property='s:url' |>|x){0,30}") {
            let _ = items(&html);
        }
    }
}
