//! The record for people, and as comma-separated values.

use contract::records::{AgentConduct, ConductRecord};

use crate::output::{format_table, sanitize_for_terminal};

const COLUMNS: [&str; 9] = [
    "AGENT",
    "OPERATOR",
    "VERIFIED",
    "FORGED",
    "ROBOTS.TXT READS",
    "DISALLOWED",
    "PEAK/MIN",
    "CONDITIONAL",
    "VERDICT",
];

/// A table of the assessed agents, then the others with the reason.
pub(super) fn text(record: &ConductRecord) -> String {
    let mut rows = vec![COLUMNS.map(str::to_owned).to_vec()];
    rows.extend(record.agents.iter().map(row));
    let mut text = if record.agents.is_empty() {
        "No agent made enough verified requests to be assessed.\n".to_owned()
    } else {
        format_table(&rows)
    };
    for agent in &record.agents {
        for rule in &agent.robots_txt.disallowed_rules {
            let (agent, rule) = (sanitize_for_terminal(&agent.agent), sanitize_for_terminal(rule));
            text.push_str(&format!("{agent} fetched paths that \"{rule}\" disallows.\n"));
        }
    }
    if !record.not_assessed.is_empty() {
        text.push_str("\nNot assessed:\n");
        let rows: Vec<Vec<String>> = record
            .not_assessed
            .iter()
            .map(|agent| {
                vec![
                    format!("  {}", sanitize_for_terminal(&agent.agent)),
                    format!("{} requests", agent.claimed_hits),
                    sanitize_for_terminal(&agent.why),
                ]
            })
            .collect();
        text.push_str(&format_table(&rows));
    }
    text
}

fn row(agent: &AgentConduct) -> Vec<String> {
    let verdict = match agent.robots_txt.verdict.as_str() {
        "respected" => "keeps to robots.txt",
        "not_respected" => "fetched disallowed paths",
        _ if agent.user_triggered => "fetches for people",
        _ => "robots.txt not compared",
    };
    vec![
        sanitize_for_terminal(&agent.agent),
        sanitize_for_terminal(&agent.operator),
        agent.identity.verified_requests.to_string(),
        agent.identity.forged_claims.to_string(),
        agent.robots_txt.robots_txt_fetches.to_string(),
        agent.robots_txt.disallowed_fetches.to_string(),
        agent.rate.peak_requests_per_minute.to_string(),
        agent.revalidation.conditional_requests.to_string(),
        verdict.to_owned(),
    ]
}

/// A line of names, then a line for each agent that was assessed or not.
pub(super) fn csv(record: &ConductRecord) -> String {
    let mut text = String::from(
        "agent,operator,purpose,user_triggered,conduct,first_seen,last_seen,verified_requests,forged_claims,\
         robots_txt_verdict,robots_txt_fetches,disallowed_fetches,peak_requests_per_minute,peak_at,\
         conditional_requests,not_assessed_because,claimed_requests\n",
    );
    for agent in &record.agents {
        let claimed = agent.identity.verified_requests.saturating_add(agent.identity.forged_claims);
        let cells = [
            agent.agent.clone(),
            agent.operator.clone(),
            agent.purpose.as_str().to_owned(),
            agent.user_triggered.to_string(),
            agent.conduct.as_str().to_owned(),
            agent.window.first_seen.to_string(),
            agent.window.last_seen.to_string(),
            agent.identity.verified_requests.to_string(),
            agent.identity.forged_claims.to_string(),
            agent.robots_txt.verdict.as_str().to_owned(),
            agent.robots_txt.robots_txt_fetches.to_string(),
            agent.robots_txt.disallowed_fetches.to_string(),
            agent.rate.peak_requests_per_minute.to_string(),
            agent.rate.peak_at.clone().unwrap_or_default(),
            agent.revalidation.conditional_requests.to_string(),
            String::new(),
            claimed.to_string(),
        ];
        push_line(&mut text, &cells);
    }
    for agent in &record.not_assessed {
        let mut cells: [String; 17] = Default::default();
        let [name, .., why, claimed] = &mut cells;
        *name = agent.agent.clone();
        *why = agent.why.clone();
        *claimed = agent.claimed_hits.to_string();
        push_line(&mut text, &cells);
    }
    text
}

fn push_line(text: &mut String, cells: &[String]) {
    for (at, cell) in cells.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(&csv_cell(cell));
    }
    text.push('\n');
}

/// Spreadsheets take a cell that begins with one of these signs for a formula.
fn csv_cell(cell: &str) -> String {
    let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let guarded = if is_formula { format!("'{cell}") } else { cell.to_owned() };
    if guarded.contains([',', '"', '\n', '\r']) {
        return format!("\"{}\"", guarded.replace('"', "\"\""));
    }
    guarded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_are_no_formulas() {
        assert_eq!(csv_cell("GPTBot"), "GPTBot");
        assert_eq!(csv_cell("a,b"), "\"a,b\"");
        assert_eq!(csv_cell("say \"a\""), "\"say \"\"a\"\"\"");
        assert_eq!(csv_cell("=1+1"), "'=1+1");
        assert_eq!(csv_cell("@a,b"), "\"'@a,b\"");
    }
}
