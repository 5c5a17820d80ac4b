//! Reads a list page by page to its end.

use std::collections::HashSet;

use contract::mcp_evidence::{McpListReading, McpPage, McpProblem, McpProblemReason as Reason};
use door::AnswerHead;
use serde_json::Value;

use super::conversation::{Conversation, PageProblem};
use super::http_client::HttpClient;
use super::messages::{List, RpcResult};
use super::problem::{not_reached, problem};

/// How many pages and items all lists together may still have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) pages: u32,
    pub(super) items: u32,
}

/// A list and its parsed items, in order.
#[derive(Debug)]
pub(super) struct ReadList {
    pub(super) reading: McpListReading,
    pub(super) items: Vec<Value>,
    /// The head of the answer that asked for credentials.
    pub(super) challenge: Option<Box<AnswerHead>>,
}

/// A longer cursor would not fit into a question.
const MAX_CURSOR_BYTES: usize = 16 * 1024;

pub(super) fn undeclared(list: List) -> McpListReading {
    McpListReading {
        list: list.kind(),
        declared: false,
        complete: true,
        why: None,
        pages: Vec::new(),
        items: 0,
    }
}

/// A list of a server that was never spoken to: whether it has one is not known.
pub(super) fn unknown(list: List) -> McpListReading {
    McpListReading { complete: false, why: Some(not_reached()), ..undeclared(list) }
}

/// A list that was not read because the walk ended before it.
pub(super) fn unread(list: List) -> McpListReading {
    McpListReading { declared: true, complete: false, why: Some(not_reached()), ..undeclared(list) }
}

/// Asks for one page, over any transport.
pub(super) trait AskPage {
    async fn ask_page(
        &mut self,
        list: List,
        cursor: Option<&str>,
    ) -> Result<RpcResult, PageProblem>;
}

struct HttpAsker<'a> {
    http: &'a mut HttpClient,
    conversation: &'a mut Conversation,
}

impl AskPage for HttpAsker<'_> {
    async fn ask_page(
        &mut self,
        list: List,
        cursor: Option<&str>,
    ) -> Result<RpcResult, PageProblem> {
        self.conversation.ask_page(self.http, list, cursor).await
    }
}

/// Reads a list. With `may_be_unknown` a server that does not know the list is no fault: the reading has
/// no page then.
pub(super) async fn read_list(
    http: &mut HttpClient,
    conversation: &mut Conversation,
    list: List,
    may_be_unknown: bool,
    room: &mut Room,
) -> ReadList {
    read_pages(&mut HttpAsker { http, conversation }, list, may_be_unknown, room).await
}

pub(super) async fn read_pages(
    asker: &mut impl AskPage,
    list: List,
    may_be_unknown: bool,
    room: &mut Room,
) -> ReadList {
    let mut walk = ListWalk { list, pages: Vec::new(), items: Vec::new(), fault: None };
    let mut challenge = None;
    let mut cursors: HashSet<String> = HashSet::new();
    let mut cursor: Option<String> = None;
    let ended = loop {
        let Some(pages_left) = room.pages.checked_sub(1) else {
            break Err(problem(Reason::TooManyPages, "The lists have more pages than are read."));
        };
        room.pages = pages_left;
        let asked = asker.ask_page(list, cursor.as_deref()).await;
        let result = match asked {
            Ok(result) => result,
            Err(failed) if failed.is_unknown_method && may_be_unknown && walk.pages.is_empty() => {
                break Ok(());
            }
            Err(failed) => {
                challenge = failed.challenge;
                break Err(failed.problem);
            }
        };
        let next = match walk.add_page(result.text, result.value, room) {
            Ok(next) => next,
            Err(why) => break Err(why),
        };
        let Some(next) = next else { break Ok(()) };
        if !cursors.insert(next.clone()) {
            break Err(problem(
                Reason::RepeatedCursor,
                "The list names the same next page again, so it has no end.",
            ));
        }
        cursor = Some(next);
    };
    ReadList { challenge, ..walk.finish(ended.err()) }
}

struct ListWalk {
    list: List,
    pages: Vec<McpPage>,
    items: Vec<Value>,
    /// The first fault that does not end the walk.
    fault: Option<McpProblem>,
}

impl ListWalk {
    /// Adds a page and returns the cursor of the next one. Any text is a cursor, also an empty one;
    /// only its absence ends the list.
    fn add_page(
        &mut self,
        text: String,
        mut value: Value,
        room: &mut Room,
    ) -> Result<Option<String>, McpProblem> {
        let cursor = value.get_mut("nextCursor").map(Value::take);
        let Some(Value::Array(items)) = value.get_mut(self.list.items_member()).map(Value::take)
        else {
            return Err(problem(Reason::BadResponse, "The result has no array with the items."));
        };
        let count = u32::try_from(items.len()).unwrap_or(u32::MAX);
        self.pages.push(McpPage { result: text, items: count });
        if count > room.items {
            room.items = 0;
            return Err(problem(Reason::TooManyItems, "The lists have more items than are read."));
        }
        room.items -= count;
        self.items.extend(items);
        match cursor {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(cursor)) if cursor.len() <= MAX_CURSOR_BYTES => Ok(Some(cursor)),
            Some(_) => {
                Err(problem(Reason::BadCursor, "The cursor of the next page is not usable."))
            }
        }
    }

    fn finish(mut self, ended: Option<McpProblem>) -> ReadList {
        let name_member = self.list.name_member();
        let mut names = HashSet::new();
        let mut names_of = self.items.iter().filter_map(|item| item.get(name_member)?.as_str());
        let has_duplicate = names_of.any(|name| !names.insert(name));
        if has_duplicate {
            self.fault = Some(problem(
                Reason::DuplicateName,
                "The list has two items of the same name, so it cannot be told which one counts.",
            ));
        }
        let why = ended.or(self.fault);
        let items = self.pages.iter().map(|page| page.items).fold(0, u32::saturating_add);
        let reading = McpListReading {
            list: self.list.kind(),
            declared: true,
            complete: why.is_none(),
            why,
            pages: self.pages,
            items,
        };
        ReadList { reading, items: self.items, challenge: None }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn walk() -> ListWalk {
        ListWalk { list: List::Tools, pages: vec![], items: vec![], fault: None }
    }

    fn add(walk: &mut ListWalk, value: Value) -> Result<Option<String>, Reason> {
        let mut room = Room { pages: 9, items: 3 };
        walk.add_page(value.to_string(), value, &mut room).map_err(|problem| problem.reason)
    }

    #[test]
    fn only_the_absence_of_a_cursor_ends_a_list() {
        let mut walk = walk();
        assert_eq!(add(&mut walk, json!({"tools":[],"nextCursor":""})), Ok(Some(String::new())));
        assert_eq!(add(&mut walk, json!({"tools":[],"nextCursor":null})), Ok(None));
        assert_eq!(add(&mut walk, json!({"tools":[]})), Ok(None));
        assert_eq!(add(&mut walk, json!({"tools":[],"nextCursor":7})), Err(Reason::BadCursor));
        assert_eq!(add(&mut walk, json!({"tools":{}})), Err(Reason::BadResponse));
        assert_eq!(add(&mut walk, json!({"tools":[1,2,3,4]})), Err(Reason::TooManyItems));
    }

    #[test]
    fn names_that_come_again_make_a_list_incomplete() {
        let mut walk = walk();
        add(&mut walk, json!({"tools":[{"name":"a"},{"name":"b"}]})).unwrap();
        add(&mut walk, json!({"tools":[{"name":"a"}]})).unwrap();
        let read = walk.finish(None);
        assert!(!read.reading.complete);
        assert_eq!(read.reading.why.unwrap().reason, Reason::DuplicateName);
        assert_eq!(read.reading.items, 3);
    }
}
