//! The transparency log, for people: what it is, where it stands, and how to check it.

use contract::records::{LogRecord, LogWitnessed};

use super::{html::Html, shell};

pub(crate) fn render(
    record: &LogRecord,
    witnessed: Option<&LogWitnessed>,
    base_url: &str,
) -> String {
    let mut main = Html::new();
    main.raw(
        "<h1>The transparency log</h1>\n\
         <p>Every decision we give is put into this log before it is served. The log can only \
         grow: each batch is signed, names the batch before it, and nothing in it can be changed, \
         taken out or put in between without everybody being able to see it. If we told you one \
         thing and others another, two signed heads would prove it.</p>\n",
    );
    if record.contradictions > 0 {
        main.raw("<p class=\"note problem\" role=\"alert\">We were shown ")
            .text(record.contradictions)
            .raw(
                " signed heads that are not of this log. That must not happen: the key was used \
                 elsewhere, or the log was put back from an old copy. Rely on nothing of it \
                 before this is explained.</p>\n",
            );
    }
    stands(&mut main, record, witnessed);
    how_to_check(&mut main, record, base_url);
    batches(&mut main, record);
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
    shell::page("Transparency log", &main)
}

fn stands(main: &mut Html, record: &LogRecord, witnessed: Option<&LogWitnessed>) {
    main.raw("<h2>Where it stands</h2>\n");
    let Some(latest) = &record.latest else {
        main.raw("<p>Nothing has been logged yet.</p>\n");
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
                "None has cosigned this log yet: that it grew is our word alone, until you \
                      compare heads with others.",
            );
        }
    }
    main.raw("</dd>\n<dt>Verifier key</dt><dd><code>").text(&record.checkpoint.vkey);
    main.raw("</code></dd>\n</dl>\n");
}

fn how_to_check(main: &mut Html, record: &LogRecord, base_url: &str) {
    main.raw(
        "<h2>How to check it</h2>\n<p>An answer you were given, with one file and Node 20 or \
         later:</p>\n<pre>curl -O ",
    )
    .text(&record.verify.verifier)
    .raw("\nnode crawlcheck-verify.mjs answer.json --keys ")
    .text(&record.key.published_in)
    .raw(" --log ")
    .text(base_url)
    .raw("</pre>\n<p>The whole log, from its first batch, and again whenever it grew:</p>\n<pre>")
    .raw("wayleave log monitor ")
    .text(base_url)
    .raw("</pre>\n<p>With tools of others, by the rules of C2SP:</p>\n<pre>curl ")
    .text(&record.checkpoint.address)
    .raw("\ncurl ")
    .text(&record.tiles)
    .raw(
        "0/000</pre>\n<p>A head that you were given, against our own chain (keep your copy: it is \
          the proof):</p>\n<pre>curl -H &#39;content-type: application/json&#39; -d \
          &#39;{\"sths\":[…]}&#39; ",
    )
    .text(base_url)
    .raw(
        "/api/v1/log/gossip</pre>\n<ul>\n\
         <li><a href=\"/api/v1/log\">The log as a signed record</a></li>\n\
         <li><a href=\"/api/v1/log/sths\">The newest heads</a></li>\n\
         <li><a href=\"/log/checkpoint\">Checkpoint</a>, <a href=\"/log/keys.json\">keys</a>, \
         <a href=\"/log/rotation.json\">retired keys</a>, \
         <a href=\"/log/sths/000000000.jsonl\">heads from the first</a></li>\n\
         <li><a href=\"/docs#getLog\">Every address of it</a></li>\n</ul>\n",
    );
}

fn batches(main: &mut Html, record: &LogRecord) {
    if record.list.is_empty() {
        return;
    }
    main.raw(
        "<h2>The last batches</h2>\n<table>\n<thead><tr><th>Batch</th><th>Time</th>\
         <th>Entries</th><th>Log size</th><th>Root</th></tr></thead>\n<tbody>\n",
    );
    for batch in &record.list {
        main.raw("<tr><td><a href=\"/api/v1/log/sth/").text(batch.batch).raw("\">");
        main.text(batch.batch).raw("</a></td><td>").text(batch.created_at).raw("</td><td>");
        main.raw("<a href=\"/api/v1/log/leaves/").text(batch.batch).raw("\">");
        main.text(batch.batch_size).raw("</a></td><td>").text(batch.tree_size);
        main.raw("</td><td><code>").text(&batch.batch_root).raw("</code></td></tr>\n");
    }
    main.raw("</tbody></table>\n");
}
