//! `wayleave lab publish`, `unpublish` and `proofs`: what the sites of a running lab publish to prove who
//! controls them.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::control_call::LabArg;
use crate::output::sanitize_for_terminal;
use crate::{exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(after_help = "Paste what the claim page of the domain shows. Example:\n  \
                  wayleave lab publish yours.lab --txt token=AbC123\n\
                  Several values can be published at once, for example of two claimants.\n\n\
                  Exit codes: 0 done, 2 not done.")]
#[command(group = clap::ArgGroup::new("proof").required(true))]
pub(super) struct PublishArgs {
    /// A site of the lab, such as yours.lab or open.lab
    domain: String,
    /// A meta element in the head of its home page: the whole element, or its content
    #[arg(long, value_name = "ELEMENT|CONTENT", group = "proof", allow_hyphen_values = true)]
    meta: Option<String>,
    /// A TXT record below its name: the value
    #[arg(long, value_name = "VALUE", group = "proof", allow_hyphen_values = true)]
    txt: Option<String>,
    /// A line of the file below /.well-known/
    #[arg(long, value_name = "LINE", group = "proof", allow_hyphen_values = true)]
    file: Option<String>,
    /// Publish it under this name instead of that of the service: of the meta element, of the TXT record
    /// (whole), or the path of the file
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    lab: LabArg,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 done, 2 not done.")]
#[command(group = clap::ArgGroup::new("kind").required(false))]
pub(super) struct UnpublishArgs {
    /// A site of the lab
    domain: String,
    /// Only meta elements
    #[arg(long, group = "kind")]
    meta: bool,
    /// Only TXT records
    #[arg(long, group = "kind")]
    txt: bool,
    /// Only lines of files
    #[arg(long, group = "kind")]
    file: bool,
    /// Only this value
    #[arg(long, allow_hyphen_values = true)]
    value: Option<String>,
    #[command(flatten)]
    lab: LabArg,
}

#[derive(Debug, clap::Args)]
pub(super) struct ProofsArgs {
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    lab: LabArg,
}

pub(super) fn publish(args: PublishArgs) -> Result<u8> {
    let PublishArgs { domain, meta, txt, file, name, lab } = args;
    let (kind, value, own_name) = if let Some(pasted) = meta {
        let (content, element_name) = parse_meta(&pasted)?;
        ("meta", content, element_name)
    } else if let Some(pasted) = txt {
        // Zone files have quotes around the value.
        let value = pasted.trim();
        let unquoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
        ("txt", unquoted.unwrap_or(value).to_owned(), None)
    } else {
        ("file", file.unwrap_or_default().trim().to_owned(), None)
    };
    let body = json!({
        "domain": domain, "kind": kind, "value": value, "name": name.or(own_name),
    });
    let done = wiring::runtime()?.block_on(lab.call("POST", "proofs", Some(body)))?;
    output::print_line(&describe_proof(&domain, &done));
    Ok(exit::PASSED)
}

pub(super) fn unpublish(args: UnpublishArgs) -> Result<u8> {
    let UnpublishArgs { domain, meta, txt, file, value, lab } = args;
    let kinds = [(meta, "meta"), (txt, "txt"), (file, "file")];
    let kind = kinds.iter().find(|(is_wanted, _)| *is_wanted).map(|(_, kind)| *kind);
    let body = json!({ "domain": domain, "kind": kind, "value": value });
    let done = wiring::runtime()?.block_on(lab.call("POST", "proofs/remove", Some(body)))?;
    let removed = done.get("removed").and_then(Value::as_u64).unwrap_or_default();
    let domain = sanitize_for_terminal(&domain);
    output::print_line(&match removed {
        0 => format!("Nothing of the kind was published for {domain}."),
        1 => format!("Removed one value of {domain}."),
        many => format!("Removed {many} values of {domain}."),
    });
    Ok(exit::PASSED)
}

pub(super) fn list(args: &ProofsArgs) -> Result<u8> {
    let list = wiring::runtime()?.block_on(args.lab.call("GET", "proofs", None))?;
    if args.json {
        output::print_json(&list)?;
        return Ok(exit::PASSED);
    }
    let mut rows = vec![["DOMAIN", "KIND", "NAME", "VALUE"].map(str::to_owned).to_vec()];
    for proof in list.get("proofs").and_then(Value::as_array).into_iter().flatten() {
        rows.push(["domain", "kind", "name", "value"].map(|key| text_of(proof, key)).to_vec());
    }
    output::print_bytes(output::format_table(&rows).as_bytes());
    Ok(exit::PASSED)
}

/// Content and name of a pasted element; what is no element is the content.
fn parse_meta(pasted: &str) -> Result<(String, Option<String>)> {
    let pasted = pasted.trim();
    if !pasted.starts_with('<') {
        return Ok((pasted.to_owned(), None));
    }
    let content = attribute(pasted, "content").context(
        "the meta element has no content. Paste the whole element in single quotes, or only its content",
    )?;
    Ok((content, attribute(pasted, "name")))
}

/// The value of a quoted attribute.
fn attribute(element: &str, name: &str) -> Option<String> {
    let (_, rest) = element.split_once(&format!(" {name}="))?;
    let quote = rest.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let (value, _) = rest.strip_prefix(quote)?.split_once(quote)?;
    Some(value.to_owned())
}

fn describe_proof(domain: &str, proof: &Value) -> String {
    let (name, value) = (text_of(proof, "name"), text_of(proof, "value"));
    let domain = sanitize_for_terminal(domain);
    match text_of(proof, "kind").as_str() {
        "meta" => {
            format!("https://{domain}/ now has <meta name=\"{name}\" content=\"{value}\">.")
        }
        "txt" => format!("{name} now has a TXT record \"{value}\"."),
        _ => format!("https://{domain}{name} now has the line {value}."),
    }
}

fn text_of(proof: &Value, key: &str) -> String {
    sanitize_for_terminal(proof.get(key).and_then(Value::as_str).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_element_can_be_pasted() {
        let parsed = |text: &str| parse_meta(text).unwrap();
        let named = |content: &str| (content.to_owned(), Some("svc-verification".to_owned()));
        assert_eq!(parsed("<meta name=\"svc-verification\" content=\"-t0k_\">"), named("-t0k_"));
        assert_eq!(parsed(" <meta content='t0k' name='svc-verification' /> "), named("t0k"));
        assert_eq!(parsed("-t0k"), ("-t0k".to_owned(), None));
        assert!(parse_meta("<meta name=\"x\">").is_err());
    }
}
