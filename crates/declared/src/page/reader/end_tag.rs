//! End tags: what is known once the text of an element is complete.

use super::{OpenElement, PageReader};
use crate::page::element_role::{self, bit, name};
use crate::page::model::TextSurface;
use crate::page::text;
use crate::page::text_spans::SpanKind;

const MAX_HEADINGS: usize = 50;
const MAX_ADDRESS_BLOCKS: usize = 50;

impl PageReader<'_> {
    pub(super) fn end_tag(&mut self, tag: u64) {
        if self.depth_beyond_limit > 0 {
            self.depth_beyond_limit -= 1;
            return;
        }
        let Some(depth) = self.open_elements.iter().rposition(|frame| frame.tag == tag) else {
            // `</p>` and `</br>` without a start tag still separate words; others have no effect.
            if !element_role::is_inline(tag) {
                self.end_block();
            }
            return;
        };
        while self.open_elements.len() > depth {
            self.close_top();
        }
    }

    /// Ends the current block of text.
    pub(super) fn end_block(&mut self) {
        self.text.mark_break();
        self.unseen.mark_break();
        self.blocks.end_block(self.text.len());
    }

    pub(super) fn close_top(&mut self) {
        let Some(frame) = self.open_elements.pop() else { return };
        let outside = self.bits();
        if !element_role::is_inline(frame.tag) {
            self.end_block();
        } else if (frame.bits ^ outside) & bit::SETS_APART != 0 {
            self.blocks.end_block(self.text.len());
        }
        self.close_styled(frame.is_styled);
        if frame.tag == name::SUMMARY {
            self.hide_unlabelled_details(&frame);
        }
        self.update_span();
        let words = if frame.bits & bit::UNSEEN == 0 { &self.text } else { &self.unseen };
        if let Some(surface) = frame.surface {
            self.hidden_texts.add_clean(surface, words.text_since(frame.opened));
        }
        if let Some(slot) = frame.slot {
            self.microdata.fill_value(slot, words.text_since(frame.opened));
        }
        if let Some(slot) = frame.rdfa_slot {
            self.rdfa.fill_value(slot, words.text_since(frame.opened));
        }
        if let Some(slot) = frame.card_slot {
            self.cards.fill_value(slot, words.text_since(frame.opened));
        }
        if let Some(level) = element_role::heading_level(frame.tag)
            && self.page.headings.len() < MAX_HEADINGS
            && !words.text_since(frame.opened).is_empty()
        {
            let heading = text::truncate_str(words.text_since(frame.opened), 300).to_owned();
            self.page.headings.push((level, heading));
        }
        // A main part without anything in it is filled by scripts, like the root of an application.
        let is_root = frame.is_app_root || (frame.tag == name::MAIN && !frame.has_image);
        if is_root && element_role::is_loading_text(words.text_since(frame.opened)) {
            self.empty_root = true;
        }
        match frame.tag {
            name::ADDRESS if self.page.address_blocks.len() < MAX_ADDRESS_BLOCKS => {
                let address = text::truncate_str(words.text_since(frame.opened), 500);
                if !address.is_empty() {
                    self.page.address_blocks.push(address.to_owned());
                }
            }
            name::TITLE if frame.bits & bit::SVG == 0 => self.titled = true,
            _ => {}
        }
    }

    /// Notes that the open summary and the open main part, if any, show something without text.
    pub(super) fn note_image(&mut self) {
        let open = self.open_elements.iter_mut().rev();
        for frame in open.filter(|frame| matches!(frame.tag, name::SUMMARY | name::MAIN)).take(4) {
            frame.has_image = true;
        }
    }

    /// Closed details are seen by those who open them. If the summary shows nothing to click on,
    /// nobody does.
    fn hide_unlabelled_details(&mut self, summary: &OpenElement) {
        let is_hidden = matches!(
            summary.concealed,
            Some(TextSurface::CssHidden | TextSurface::HiddenAttribute)
        );
        let is_blank = !summary.has_image && text::is_blank(self.text.text_since(summary.opened));
        if let Some(details) = self.open_elements.last_mut()
            && details.tag == name::DETAILS
            && details.concealed == Some(TextSurface::ClosedDetails)
            && (is_hidden || is_blank)
        {
            details.concealed = Some(TextSurface::CssHidden);
            details.style = details.style.hidden();
        }
    }

    pub(super) fn close_styled(&mut self, is_styled: bool) {
        if is_styled {
            self.styled.pop();
        }
    }

    /// Notes whether the text from here on is seen, hidden or quoted.
    pub(super) fn update_span(&mut self) {
        let top = self.open_elements.last();
        let kind = top.and_then(|top| match top.concealed {
            Some(surface) => Some(SpanKind::Concealed(surface)),
            None => (top.bits & bit::QUOTED != 0).then_some(SpanKind::Quoted),
        });
        self.spans.switch_to(kind, self.text.as_str(), &mut self.hidden_texts);
    }
}
