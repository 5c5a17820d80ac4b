//! The page about the transparency log: what it is, its current state, and how to check it.

use contract::records::{LogRecord, LogWitnessedHead};

use super::{html::Html, layout};

pub(crate) fn render(
    record: &LogRecord,
    witnessed: Option<&LogWitnessedHead>,
    base_url: &str,
) -> String {
    let mut main = Html::new();
    main.raw(
        "<h1>The transparency log</h1>\n\
         <p>We add every decision to this log before we serve it. The log can only grow: each batch \
         is signed and contains the hash of the batch before it. Anybody can detect an entry that \
         was changed, removed or inserted later. If we showed you and others different logs, two \
         signed heads would prove it.</p>\n",
    );
    if record.contradictions > 0 {
        main.raw("<p class=\"note problem\" role=\"alert\">We received ")
            .text(record.contradictions)
            .raw(
                " heads that carry our signature but are not part of this log. This must not \
                 happen: either the key was used elsewhere, or the log was restored from an old \
                 copy. Do not rely on this log until the operator has explained it.</p>\n",
            );
    }
    render_state(&mut main, record, witnessed);
    render_how_to_check(&mut main, record, base_url);
    render_batches(&mut main, record);
    main.raw("<h2>Rules</h2>\n<dl>\n");
    for (name, rule) in [
        ("Leaf", &record.rules.leaf),
        ("Tree", &record.rules.tree),
        ("Chain", &record.rules.chain),
        ("Content", &record.content_rule),
    ] {
        main.raw("<dt>").text(name).raw("</dt><dd>").text(rule).raw("</dd>\n");
    }
    main.raw("</dl>\n");
    layout::page("Transparency log", &main)
}

fn render_state(main: &mut Html, record: &LogRecord, witnessed: Option<&LogWitnessedHead>) {
    main.raw("<h2>Current state</h2>\n");
    let Some(latest) = &record.latest else {
        main.raw("<p>The log is empty.</p>\n");
        return;
    };
    main.raw("<dl>\n<dt>Log</dt><dd><code>").text(&record.log_id);
    main.raw("</code></dd>\n<dt>Entries</dt><dd>").text(record.tree_size);
    main.raw("</dd>\n<dt>Batches</dt><dd>").text(record.batches);
    main.raw("</dd>\n<dt>Newest head</dt><dd><a href=\"/api/v1/log/sth/").text(latest.batch);
    main.raw("\">batch ").text(latest.batch).raw("</a> of ").text(latest.created_at);
    main.raw(", <code>").text(&latest.sth_sha256).raw("</code></dd>\n<dt>Witnesses</dt><dd>");
    match witnessed {
        Some(seen) => {
            main.text(seen.witnesses.len());
            main.raw(" have cosigned the log at ").text(seen.tree_size).raw(" entries (");
            main.raw("<a href=\"/api/v1/log/witness/latest\">batch ").text(seen.batch);
            main.raw("</a>)");
        }
        None => {
            main.raw(
                "No witness has cosigned this log yet. Only we claim that it is append-only; compare \
                 heads with others to check.",
            );
        }
    }
    main.raw("</dd>\n<dt>Verifier key</dt><dd><code>").text(&record.checkpoint.vkey);
    main.raw("</code></dd>\n</dl>\n");
}

fn render_how_to_check(main: &mut Html, record: &LogRecord, base_url: &str) {
    main.raw(
        "<h2>How to check it</h2>\n<p>Check an answer that you received (one file, needs Node 20 \
         or later):</p>\n<pre>curl -O ",
    )
    .text(&record.verify.verifier)
    .raw("\nnode crawlcheck-verify.mjs answer.json --keys ")
    .text(&record.key.published_in)
    .raw(" --log ")
    .text(base_url)
    .raw("</pre>\n<p>Check the whole log from its first batch, and again whenever it has grown:</p>\n<pre>")
    .raw("wayleave log monitor ")
    .text(base_url)
    .raw("</pre>\n<p>Use other C2SP tools:</p>\n<pre>curl ")
    .text(&record.checkpoint.address)
    .raw("\ncurl ")
    .text(&record.tiles)
    .raw(
        "0/000</pre>\n<p>Compare a head that you received with our chain (keep your copy, it is the \
          proof):</p>\n<pre>curl -H &#39;content-type: application/json&#39; -d \
          &#39;{\"sths\":[…]}&#39; ",
    )
    .text(base_url)
    .raw(
        "/api/v1/log/gossip</pre>\n<ul>\n\
         <li><a href=\"/api/v1/log\">The log as a signed record</a></li>\n\
         <li><a href=\"/api/v1/log/sths\">The newest heads</a></li>\n\
         <li><a href=\"/log/checkpoint\">Checkpoint</a>, <a href=\"/log/keys.json\">keys</a>, \
         <a href=\"/log/rotation.json\">retired keys</a>, \
         <a href=\"/log/sths/000000000.jsonl\">heads of batches 0 to 999</a></li>\n\
         <li><a href=\"/docs#getLog\">All API operations of the log</a></li>\n</ul>\n",
    );
}

fn render_batches(main: &mut Html, record: &LogRecord) {
    if record.list.is_empty() {
        return;
    }
    main.raw(
        "<h2>Latest batches</h2>\n<div class=\"wide\"><table>\n<thead><tr><th>Batch</th><th>Time</th>\
         <th>Entries</th><th>Log size</th><th>Root</th></tr></thead>\n<tbody>\n",
    );
    for batch in &record.list {
        main.raw("<tr><td><a href=\"/api/v1/log/sth/").text(batch.batch).raw("\">");
        main.text(batch.batch).raw("</a></td><td>").text(batch.created_at).raw("</td><td>");
        main.raw("<a href=\"/api/v1/log/leaves/").text(batch.batch).raw("\">");
        main.text(batch.batch_size).raw("</a></td><td>").text(batch.tree_size);
        main.raw("</td><td><code>").text(&batch.batch_root).raw("</code></td></tr>\n");
    }
    main.raw("</tbody></table></div>\n");
}
