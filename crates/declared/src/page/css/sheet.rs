//! Parses one style sheet into rules.

use cssparser::{
    AtRuleParser, BasicParseErrorKind, CowRcStr, DeclarationParser, ParseError, Parser,
    ParserInput, ParserState, QualifiedRuleParser, RuleBodyItemParser, RuleBodyParser,
    StyleSheetParser,
};

use super::declarations::{Declaration, ReadDeclaration, interpret, read_declaration};
use super::media;
use super::selector::{Selectors, parse_selectors};
use super::truth::Truth;
use super::values::read_value;

/// Rules inside rules and conditions.
const MAX_NESTING: u8 = 6;
/// Declarations kept of one rule.
const MAX_DECLARATIONS: usize = 64;
/// Custom properties of the document, and bytes of the value of one.
const MAX_VARIABLES: usize = 1_000;
const MAX_VARIABLE_BYTES: usize = 100;

/// A rule as it was read.
#[derive(Debug)]
pub(super) struct ReadRule {
    pub(super) selectors: Selectors,
    pub(super) declarations: Vec<Declaration>,
    /// Declarations whose value is that of a custom property: property, name, important.
    pub(super) from_variables: Vec<(String, String, bool)>,
    /// Custom properties that the rule itself sets.
    pub(super) own_variables: Vec<(String, String)>,
    /// Whether the conditions around it hold.
    pub(super) applies: Truth,
    /// Whether it is in a cascade layer. All other rules win over it.
    pub(super) layered: bool,
}

/// What was read of all sheets of a page.
#[derive(Debug, Default)]
pub(super) struct ReadSheets {
    pub(super) rules: Vec<ReadRule>,
    /// Custom properties of the whole document: name, value as written.
    pub(super) variables: Vec<(String, String)>,
    /// How many more rules are read.
    pub(super) rules_left: usize,
}

/// Reads a sheet whose rules apply as `applies` says.
pub(super) fn read_sheet(css: &str, applies: Truth, into: &mut ReadSheets) {
    let mut input = ParserInput::new(css);
    let mut parser = Parser::new(&mut input);
    let mut reader =
        SheetReader { sheets: into, applies, layered: false, nesting: 0, parent: None, body: None };
    for _ in StyleSheetParser::new(&mut parser, &mut reader) {}
}

/// Reads the declarations of a style attribute.
pub(super) fn read_inline(style: &str) -> Vec<Declaration> {
    let mut input = ParserInput::new(style);
    let mut parser = Parser::new(&mut input);
    let mut sheets = ReadSheets::default();
    let mut reader = SheetReader {
        sheets: &mut sheets,
        applies: Truth::Yes,
        layered: false,
        nesting: MAX_NESTING,
        parent: None,
        body: Some(RuleBody::default()),
    };
    for _ in RuleBodyParser::new(&mut parser, &mut reader) {}
    reader.body.map(|body| body.declarations).unwrap_or_default()
}

#[derive(Debug, Default)]
struct RuleBody {
    declarations: Vec<Declaration>,
    from_variables: Vec<(String, String, bool)>,
    own_variables: Vec<(String, String)>,
}

struct SheetReader<'s> {
    sheets: &'s mut ReadSheets,
    applies: Truth,
    layered: bool,
    nesting: u8,
    /// The selectors of the rule around a nested rule.
    parent: Option<Selectors>,
    /// The declarations of the rule that is being read.
    body: Option<RuleBody>,
}

enum AtRulePrelude {
    /// The rules inside apply under this condition.
    Condition(Truth),
    Layer,
    Skip,
}

type ReadResult<'i, T> = Result<T, ParseError<'i, ()>>;

impl SheetReader<'_> {
    /// Reads the rules and declarations of a block, and keeps the rule if it has selectors.
    fn read_body(
        &mut self,
        selectors: Option<Selectors>,
        applies: Truth,
        layered: bool,
        input: &mut Parser<'_, '_>,
    ) {
        if self.nesting >= MAX_NESTING || self.sheets.rules_left == 0 {
            while input.next().is_ok() {}
            return;
        }
        let inside_rule = selectors.is_some();
        let mut reader = SheetReader {
            sheets: self.sheets,
            applies: self.applies.and(applies),
            layered: self.layered || layered,
            nesting: self.nesting + 1,
            parent: selectors,
            body: inside_rule.then(RuleBody::default),
        };
        if inside_rule {
            // The rule comes before those that are nested in it, also in the cascade.
            let place = reader.sheets.rules.len();
            for _ in RuleBodyParser::new(input, &mut reader) {}
            let (Some(body), Some(selectors)) = (reader.body.take(), reader.parent.take()) else {
                return;
            };
            if body.declarations.is_empty() && body.from_variables.is_empty() {
                return;
            }
            let (applies, layered) = (reader.applies, reader.layered);
            if applies != Truth::No && self.sheets.rules_left > 0 {
                self.sheets.rules_left -= 1;
                let rule = ReadRule {
                    selectors,
                    declarations: body.declarations,
                    from_variables: body.from_variables,
                    own_variables: body.own_variables,
                    applies,
                    layered,
                };
                if place == self.sheets.rules.len() {
                    self.sheets.rules.push(rule);
                } else {
                    self.sheets.rules.insert(place, rule);
                }
            }
        } else {
            for _ in StyleSheetParser::new(input, &mut reader) {}
        }
    }
}

impl<'i> QualifiedRuleParser<'i> for SheetReader<'_> {
    type Prelude = Option<Selectors>;
    type QualifiedRule = ();
    type Error = ();

    fn parse_prelude<'t>(&mut self, input: &mut Parser<'i, 't>) -> ReadResult<'i, Self::Prelude> {
        let start = input.position();
        while input.next().is_ok() {}
        let list = input.slice_from(start);
        // Nothing applies inside a condition that does not hold.
        if self.applies == Truth::No {
            return Ok(None);
        }
        Ok(parse_selectors(list, self.parent.as_ref()))
    }

    fn parse_block<'t>(
        &mut self,
        selectors: Self::Prelude,
        _start: &ParserState,
        input: &mut Parser<'i, 't>,
    ) -> ReadResult<'i, ()> {
        match selectors {
            Some(selectors) => self.read_body(Some(selectors), Truth::Yes, false, input),
            None => while input.next().is_ok() {},
        }
        Ok(())
    }
}

impl<'i> AtRuleParser<'i> for SheetReader<'_> {
    type Prelude = AtRulePrelude;
    type AtRule = ();
    type Error = ();

    fn parse_prelude<'t>(
        &mut self,
        name: CowRcStr<'i>,
        input: &mut Parser<'i, 't>,
    ) -> ReadResult<'i, AtRulePrelude> {
        let start = input.position();
        while input.next().is_ok() {}
        let condition = input.slice_from(start);
        Ok(match name.to_ascii_lowercase().as_str() {
            "media" => AtRulePrelude::Condition(media::applies(condition)),
            "supports" => AtRulePrelude::Condition(match condition.trim_start() {
                negated if negated.starts_with("not") => Truth::Unknown,
                _ => Truth::Yes,
            }),
            "layer" => AtRulePrelude::Layer,
            "container" | "scope" | "starting-style" | "document" | "-moz-document" => {
                AtRulePrelude::Condition(Truth::Unknown)
            }
            _ => AtRulePrelude::Skip,
        })
    }

    fn rule_without_block(
        &mut self,
        _prelude: AtRulePrelude,
        _start: &ParserState,
    ) -> Result<(), ()> {
        Ok(())
    }

    fn parse_block<'t>(
        &mut self,
        prelude: AtRulePrelude,
        _start: &ParserState,
        input: &mut Parser<'i, 't>,
    ) -> ReadResult<'i, ()> {
        let (applies, layered) = match prelude {
            AtRulePrelude::Condition(Truth::No) | AtRulePrelude::Skip => {
                while input.next().is_ok() {}
                return Ok(());
            }
            AtRulePrelude::Condition(applies) => (applies, false),
            AtRulePrelude::Layer => (Truth::Yes, true),
        };
        // A condition inside a rule contains declarations of that rule's elements.
        let selectors = self.parent.clone();
        self.read_body(selectors, applies, layered, input);
        Ok(())
    }
}

impl<'i> DeclarationParser<'i> for SheetReader<'_> {
    type Declaration = ();
    type Error = ();

    fn parse_value<'t>(
        &mut self,
        name: CowRcStr<'i>,
        input: &mut Parser<'i, 't>,
        _start: &ParserState,
    ) -> ReadResult<'i, ()> {
        if name.starts_with("--") {
            let start = input.position();
            while input.next().is_ok() {}
            let value = input.slice_from(start);
            if self.applies != Truth::Yes || value.len() > MAX_VARIABLE_BYTES {
                return Ok(());
            }
            let variable = (name.to_string(), value.trim().to_owned());
            if self.parent.as_ref().is_some_and(is_document) {
                if self.sheets.variables.len() < MAX_VARIABLES {
                    self.sheets.variables.push(variable);
                }
            } else if let Some(body) = &mut self.body
                && body.own_variables.len() < MAX_DECLARATIONS
            {
                body.own_variables.push(variable);
            }
            return Ok(());
        }
        let read = read_declaration(&name, input);
        if matches!(read, ReadDeclaration::Irrelevant) {
            // `a:hover { … }` looks like a declaration up to its block.
            while let Ok(token) = input.next() {
                if *token == cssparser::Token::CurlyBracketBlock {
                    return Err(input.new_error(BasicParseErrorKind::QualifiedRuleInvalid));
                }
            }
            return Ok(());
        }
        let important = input.try_parse(cssparser::parse_important).is_ok();
        if !input.is_exhausted() {
            return Err(input.new_error(BasicParseErrorKind::QualifiedRuleInvalid));
        }
        let Some(body) = &mut self.body else { return Ok(()) };
        match read {
            ReadDeclaration::Plain(values) => {
                let left = MAX_DECLARATIONS.saturating_sub(body.declarations.len());
                body.declarations.extend(
                    values.into_iter().take(left).map(|(property, value)| Declaration {
                        property,
                        value,
                        important,
                    }),
                );
            }
            ReadDeclaration::FromVariable(variable) => {
                if body.from_variables.len() < MAX_DECLARATIONS {
                    let property = name.to_ascii_lowercase();
                    body.from_variables.push((property, variable, important));
                }
            }
            ReadDeclaration::Irrelevant => {}
        }
        Ok(())
    }
}

impl RuleBodyItemParser<'_, (), ()> for SheetReader<'_> {
    fn parse_declarations(&self) -> bool {
        true
    }

    fn parse_qualified(&self) -> bool {
        self.nesting < MAX_NESTING
    }
}

/// Whether selectors name the document as a whole, whose custom properties all elements inherit.
fn is_document(selectors: &Selectors) -> bool {
    selectors.slice().iter().any(|selector| {
        use selectors::parser::Component;
        let mut components = selector.iter_raw_match_order();
        match (components.next(), components.next()) {
            (Some(Component::Root | Component::ExplicitUniversalType), None) => true,
            (Some(Component::LocalName(name)), None) => {
                matches!(name.lower_name.as_str(), "html" | "body")
            }
            _ => false,
        }
    })
}

/// The declarations of a property whose value is the text of a custom property.
pub(super) fn declarations_of(property: &str, value: &str, important: bool) -> Vec<Declaration> {
    let mut input = ParserInput::new(value);
    let tokens = read_value(&mut Parser::new(&mut input));
    interpret(property, &tokens)
        .into_iter()
        .map(|(property, value)| Declaration { property, value, important })
        .collect()
}
