//! Every field that section 2 of the interface names (and 3.3, the visitor batch of 4, the errors
//! of 7), by hand, with its type. A field that a schema lacks, or types otherwise, fails here.

use contract::Brand;
use contract::schema::{KINDS, schema_for};
use serde_json::Value;

use crate::examples::BASE;

/// `word`, then lines of `path type`. `[]` steps into the items of an array, `{}` into the values
/// of a map. Types: string, integer, number, boolean, array, object, time, any; `?` for null.
const FIELDS: &[(&str, &str)] = &[
    (
        "scan",
        "id string?
        domain string
        scanned_host string
        scannedAt time
        score_version integer
        grade string?
        overall integer?
        grade_detail.capped boolean
        grade_detail.cap any?
        grade_detail.cap_reason string?
        grade_detail.unscored_affects_grade boolean
        grade_detail.unscored[] string
        section_scores[].id string
        section_scores[].title string
        section_scores[].score integer?
        findings array
        checks[].path string
        checks[].status integer
        checks[].contentType string
        checks[].bytes integer
        checks[].cacheControl string
        checks[].cfCacheStatus string
        checks[].ms integer
        checks[].excerpt string
        checks[].sitemap_lines string
        checks[].verdict string
        checks[].cacheSplit.bare_status integer
        checks[].cacheSplit.fresh_status integer
        checks[].cacheSplit.bare_html boolean
        checks[].cacheSplit.fresh_html boolean
        checks[].cacheSplit.bare_cf string
        checks[].cacheSplit.diverged boolean
        checks[].cacheSplit.bare_bytes integer
        checks[].cacheSplit.fresh_bytes integer
        agentview.rows array
        agentview.deterministic boolean?
        agentview.self_similarity number?
        agentview.split string
        agentview.split_evidence any?
        agentview.all_refused boolean
        agentview.answer_word_share number
        agentview.claims_unverified boolean
        agentview.evidence array
        agentview.conflicts array
        agentview.rows[].id string
        agentview.rows[].label string
        agentview.rows[].role string
        agentview.rows[].status integer
        agentview.rows[].words integer
        agentview.rows[].xrobots string
        agentview.rows[].redirected_to string
        agentview.rows[].blocker string
        agentview.rows[].vendor string
        agentview.rows[].repro string
        agentview.rows[].similarity number
        agentview.rows[].cause string
        confidence.v integer
        confidence.sections_scored.n integer
        confidence.sections_scored.of integer
        confidence.sections_scored.ratio number
        confidence.identities_answered.n integer
        confidence.identities_answered.of integer
        confidence.identities_answered.ratio number
        confidence.fetches_kept.n integer
        confidence.fetches_kept.of integer
        confidence.fetches_kept.ratio number?
        confidence.stage_failures integer
        confidence.non_observations integer
        confidence.non_observations_attempted integer
        confidence.vantages integer
        confidence.refused boolean
        confidence.note string
        self_audit.checked integer
        self_audit.findings integer
        self_audit.worst integer
        proof_overall integer
        cached any
        unreachable boolean
        kind string
        v integer
        schema string
        evidence_sha256 string?
        visibility string
        score_ledger object
        links object
        rulepack.version integer
        rulepack.sha256 string
        non_observations[].what string
        non_observations[].path string
        non_observations[].identity string
        non_observations[].why string
        findings[].id string
        findings[].severity string
        findings[].section string
        findings[].title string
        findings[].seen string
        findings[].why string
        findings[].fix string?
        findings[].standard string?
        findings[].evidence[] string
        checks[].why string?
        checks[].body_sha256 string?
        checks[].reading string?
        checks[].identity string
        agentview.rows[].user_agent string
        agentview.rows[].bytes integer
        agentview.rows[].body_sha256 string
        agentview.rows[].final_url string
        agentview.rows[].error object?
        agentview.rows[].reading string
        sha256 string
        signature object",
    ),
    (
        "report",
        "schema string
        version string
        id string
        domain string
        path string
        scanned_host string
        scanned_at time
        score_version integer
        overall integer
        grade string
        grade_detail.capped boolean
        grade_detail.cap any?
        grade_detail.cap_reason string?
        sections array
        findings array
        findings_withheld any?
        score_ledger.score integer
        score_ledger.letter string
        score_ledger.cap any?
        score_ledger.capped boolean
        score_ledger.held_at_reach boolean
        score_ledger.matches_record boolean
        score_ledger.rows array
        score_ledger.rows_withheld integer
        score_ledger.method string
        findings_summary any?
        provenance.v integer
        provenance.observer string
        provenance.observer_build string
        provenance.observer_tag string
        provenance.vantage any
        provenance.rulepack any
        provenance.audit_version any
        provenance.meg_v any
        provenance.scope string
        provenance.observed_at time
        provenance.stored_at time
        provenance.artifacts string
        provenance.findings integer
        provenance.decisions integer
        provenance.manifest_signature any
        confidence.sections_scored.ratio number
        confidence.note string
        bitemporal.v integer
        bitemporal.recorded_at time
        bitemporal.axes any
        bitemporal.facts array
        non_observations array
        checks array
        agentview array
        nap.phones array
        nap.addresses array
        nap.citations array
        nap.verified array
        nap.hours array
        nap.conflicts object
        nap.lineage object
        fact_lineage.v integer
        fact_lineage.scored boolean
        fact_lineage.facts array
        fact_lineage.disagree array
        fact_lineage.single_source array
        fact_lineage.subject object
        fact_lineage.read object
        headroom.gain integer
        headroom.failing integer
        history array
        proof.digest string
        proof.algorithm string
        proof.anchored string
        proof.verify string
        links.report string
        links.graph string
        links.raw string
        links.schema string
        links.docs string",
    ),
    (
        "outcome-report",
        "domain string
        action string
        agent.name string
        result.status number
        result.blocked boolean
        result.challenge any
        resolve_said string
        status integer
        blocked boolean
        challenged boolean
        agent string
        resolve_sha256 string",
    ),
    (
        "outcome-accepted",
        "ok boolean
        accepted.domain string
        accepted.action string
        accepted.outcome string
        accepted.disagreement string
        summary string
        note string",
    ),
    (
        "agent-outcomes",
        "kind string
        v integer
        domain string
        window_days number
        n number
        ok number
        blocked number
        challenged number
        error number
        disagree number
        reporters number
        by_action{} integer
        by_agent{} integer
        by_status{} integer
        days[].day string
        days[].n integer
        days[].ok integer
        days[].blocked integer
        days[].challenged integer
        days[].disagree integer
        recent array
        success_rate number",
    ),
    (
        "ai-accuracy",
        "kind string
        v integer
        domain string
        engine string
        checked_at time
        fields.phone.declared string
        fields.phone.ai string
        fields.phone.verdict string
        fields.address.declared string
        fields.address.ai string
        fields.address.verdict string
        fields.website.declared string
        fields.website.ai string
        fields.website.verdict string
        fields.hours.ai string
        fields.hours.verdict string
        wrong[] string
        sources[] string
        sha256 string
        seal string",
    ),
    (
        "domain-control",
        "kind string
        v integer
        domain string
        state string
        means string
        method string
        claimed_at time
        last_verified_at time
        last_check_at time
        next_check_at time
        grace_ends_at time?
        registry_at_claim.created string
        registry_at_claim.expires string
        registry_at_claim.registrar string
        events array
        sha256 string
        signature object",
    ),
    (
        "domain",
        "kind string
        v integer
        domain string
        registry.state string
        registry.source string
        registry.registrar string
        registry.registrar_iana_id string
        registry.created time
        registry.expires time
        registry.changed time
        registry.nameservers[] string
        registry.dnssec boolean
        registry.status[] string
        timeline[].at time
        timeline[].type string
        timeline[].detail string
        timeline[].source string",
    ),
    (
        "visitor",
        "kind string
        v integer
        checked_at time
        ranges_as_of time
        reading string
        spec string
        claimed string?
        operator string?
        purpose string?
        verdict string
        why string
        feeds[] string",
    ),
    (
        "visitor-batch",
        "kind string
        v integer
        checked_at time
        ranges_as_of time
        spec string
        count integer
        results[].claimed string?
        results[].operator string?
        results[].purpose string?
        results[].verdict string
        results[].why string
        results[].feeds array",
    ),
    (
        "conduct",
        "kind string
        v integer
        generated_at time
        population string
        thresholds.min_verified_requests integer
        thresholds.published_rate_limit any?
        thresholds.disallowed_rules[] string
        agents[].agent string
        agents[].operator string
        agents[].purpose string
        agents[].user_triggered boolean
        agents[].conduct string
        agents[].window.first_seen time
        agents[].window.last_seen time
        agents[].identity.verified_requests integer
        agents[].identity.forged_claims integer
        agents[].identity.forgery_share number
        agents[].robots_txt.verdict string
        agents[].robots_txt.robots_txt_fetches integer
        agents[].robots_txt.disallowed_fetches integer
        agents[].robots_txt.disallowed_rules array
        agents[].rate.verdict string
        agents[].rate.peak_requests_per_minute integer
        agents[].rate.peak_at string
        agents[].rate.published_limit number?
        agents[].rate.measured_since time
        agents[].revalidation.conditional_requests integer
        agents[].revalidation.share_of_verified_since_measured number
        agents[].revalidation.measured_since time
        agents[].site_checks_14d.checked integer
        agents[].site_checks_14d.verified integer
        agents[].site_checks_14d.spoofed integer
        not_assessed[].agent string
        not_assessed[].claimed_hits integer
        not_assessed[].why string
        sha256 string
        signature object",
    ),
    (
        "resolve",
        "kind string
        v integer
        schema string
        domain string
        answered_at time
        reading string
        status string
        basis.kind string
        basis.measured_at time
        basis.budget_ms integer
        basis.took_ms integer
        basis.not_read_in_budget array
        basis.scope string
        basis.run integer
        basis.rank integer
        subject.domain string
        subject.host string
        freshness.observed_at time
        freshness.age_hours integer
        freshness.source string
        freshness.last_verified_at time
        freshness.fresh_until time
        freshness.stale boolean
        freshness.fresh_policy string
        observers.primary.version_tag string
        observers.primary.vantage string
        observers.independent_readings integer
        observers.by_field string
        observers.directory string
        observers.samples_by_network.networks any
        observers.samples_by_network.samples any
        observers.samples_by_network.groups any
        observers.samples_by_network.window any
        crawl_policy.state string
        crawl_policy.observed_at time
        crawl_policy.source string
        crawl_policy.http_status integer
        crawl_policy.path_tested string
        crawl_policy.agents[].agent string
        crawl_policy.agents[].allowed_homepage boolean
        crawl_policy.content_signal any?
        crawl_policy.note string
        crawl_policy.why string
        delivery.state string
        delivery.observed_at time
        delivery.url string
        delivery.identity_basis string
        delivery.identities[].identity string
        delivery.identities[].label string
        delivery.identities[].status integer
        delivery.identities[].bytes integer
        delivery.identities[].html boolean
        delivery.identities[].final_host string
        delivery.identities[].sha256 string
        delivery.same_bytes_for_every_identity boolean
        machine_files.state string
        machine_files.observed_at time
        machine_files.files[].path string
        machine_files.files[].status integer
        machine_files.files[].content_type string
        machine_files.files[].bytes integer
        machine_files.files[].present boolean
        machine_files.files[].sha256 string
        machine_files.hashes string
        capabilities.state string
        capabilities.observed_at time
        capabilities.declared integer
        capabilities.by_safety_class{} integer
        capabilities.verified integer
        capabilities.mismatches integer
        capabilities.invocation_rule any
        capabilities.certificate any
        capabilities.items any
        capabilities.declared_files array
        capabilities.note string
        entity.state string
        entity.observed_at time
        entity.why string
        findings.access string
        findings.rule any
        findings.items array
        findings.summary any
        findings.withheld any
        findings.note string
        confidence.identities_answered integer
        confidence.vantages integer
        confidence.note string
        confidence.sample any
        confidence.sample_note any
        confidence.vantage_state.state string
        confidence.vantage_state.means string
        confidence.vantage_state.networks integer
        confidence.vantage_state.readings integer
        confidence.vantage_state.states{} any
        confidence.vantage_state.from any
        contradictions any?
        evidence.report string?
        evidence.rescan.body.domain string
        evidence.verifier string
        evidence.verify string
        assurance string
        impersonation.state string
        impersonation.verdict string
        impersonation.brand_frame string
        dns.state string
        dns.observed_at time
        dns.resolver string
        dns.exists boolean
        dns.a array
        dns.aaaa array
        dns.cname array
        dns.rcode string
        dns.dnssec_validated boolean
        dns.note string
        tls.state string
        tls.observed_at time
        tls.https boolean
        tls.url string
        tls.final_host string
        tls.http_status integer
        tls.hsts string
        tls.certificate string
        tls.note string
        upgrade.state string
        upgrade.to string
        upgrade.expected any
        upgrade.how any
        upgrade.scan_now any
        content_clock.homepage.url string
        content_clock.homepage.observed boolean
        content_clock.homepage.start string
        content_clock.homepage.reading string
        content_clock.reading string
        self_claims.observed boolean
        self_claims.start string
        self_claims.reading string
        read_equivalence.url string
        read_equivalence.observed boolean
        read_equivalence.verdict string
        read_equivalence.checked_at time
        read_equivalence.first_observed time
        read_equivalence.ai_identities_served string
        read_equivalence.identities[].identity string
        read_equivalence.identities[].verdict string
        read_equivalence.identities[].text_ratio number?
        read_equivalence.identities[].instruction_like_text boolean
        read_equivalence.api string
        read_equivalence.reading string
        rights.observed boolean
        rights.path string
        rights.read_at time
        rights.api string
        rights.reading string
        rights.train.value string
        rights.train.decided_by.signal string
        rights.train.decided_by.url string
        rights.train.decided_by.evidence string
        rights.train.conflicts integer
        rights.ground.value string
        rights.summarize.value string
        rights.cite.value string
        rights.transact.value string
        stored_sections.sections[] string
        stored_sections.as_of time
        stored_sections.reading string
        served_from string
        actions object
        absences[].what string
        absences[].path string
        absences[].result string
        absences[].at time
        absences[].from.observer string
        absences[].from.network string
        absences[].from.directory string
        absences[].checked[].method string
        absences[].checked[].url string
        absences[].checked[].status integer
        absences[].checked[].redirects any
        absences[].scope string
        control.state string
        control.proofs array
        control.organization any
        control.claim string
        control.why string
        control.note string
        transparency object
        assurance_ladder object
        code.version_id string
        code.script_sha16 string
        code.state string
        code.deployed.at time
        code.deployed.commit string
        code.deployed.run string
        code.build_log_entry integer
        code.score_version integer
        code.scoring_policy_sha256 string
        code.decision_rules_sha256 string
        code.check string
        sha256 string
        signature object",
    ),
    (
        "actions",
        "v integer
        decisions string
        rule string
        read.decision string
        read.minimum_assurance string
        read.assurance_found[] string
        read.needs string
        read.why string
        read.doubts[] string
        read.max_age_hours integer
        cite.decision string
        cite.minimum_assurance string
        cite.assurance_found[] string
        cite.needs string
        cite.why string
        cite.doubts[] string
        cite.max_age_hours integer
        cite.scope.covers[] string
        cite.scope.does_not_cover string
        connect.decision string
        transact.decision string
        administer.decision string",
    ),
    (
        "transparency",
        "state string
        log_id string
        leaf_hash string
        batch integer
        index integer
        batch_size integer
        path[] string
        sth object
        witnesses string
        content_rule string",
    ),
    (
        "log-sth",
        "kind string
        v integer
        log_id string
        batch integer
        first_index integer
        batch_size integer
        tree_size integer
        batch_root string
        prev_sth_sha256 string?
        created_at time
        rules.leaf string
        rules.tree string
        rules.chain string
        code.version_id string
        sha256 string
        signature object",
    ),
    (
        "log",
        "kind string
        v integer
        schema string
        log_id string
        generated_at time
        tree_size integer
        batches integer
        head object?
        head.sha256 string
        latest.batch integer
        latest.sth_sha256 string
        latest.created_at time
        latest.address string
        first.batch integer
        first.address string
        rules.leaf string
        rules.tree string
        rules.chain string
        content_rule string
        key.kid string
        key.jwk.x string
        key.published_in string
        witnesses string
        promise.max_batch_interval_s integer
        promise.max_delay_s integer
        checkpoint.origin string
        checkpoint.vkey string
        checkpoint.address string
        tiles string
        files string
        contradictions integer
        list[].batch integer
        list[].first_index integer
        list[].batch_size integer
        list[].tree_size integer
        list[].batch_root string
        list[].sth_sha256 string
        list[].created_at time
        cursor string?
        has_more boolean
        lookup.state string
        lookup.batch integer?
        lookup.index integer?
        lookup.log_index integer?
        lookup.path array?
        lookup.sth object?
        verify.how string
        verify.verifier string
        sha256 string
        signature object",
    ),
    (
        "log-batch",
        "sth.sha256 string
        witnesses[].token string
        witnesses[].at time
        witnesses[].run string?
        witnesses[].name string
        leaves[] string",
    ),
    (
        "log-sths",
        "sths[].sha256 string
        to integer?
        n integer",
    ),
    (
        "log-leaves",
        "batch integer
        batch_root string
        leaves[] string",
    ),
    (
        "log-inclusion",
        "leaf_hash string
        batch integer
        index integer
        log_index integer
        path[] string
        sth object
        tree_size integer
        tree_root string
        tree_path[] string",
    ),
    (
        "log-consistency",
        "from.tree_size integer
        from.tree_root string
        to.tree_size integer
        to.tree_root string
        proof[] string",
    ),
    (
        "log-absence",
        "state string
        batch integer
        leaf_hash string
        left.leaf_hash string
        left.index integer
        left.path[] string
        right.leaf_hash string
        right.index integer
        right.path[] string
        sth object",
    ),
    (
        "log-witness",
        "batch integer
        tree_size integer
        checkpoint string
        witnesses[].token string",
    ),
    ("log-gossip-request", "sths[] object"),
    (
        "log-gossip",
        "results[].state string
        results[].batch integer?
        results[].sth_sha256 string?
        results[].why string
        contradictions integer
        head.batch integer",
    ),
    (
        "signature",
        "v integer
        alg string
        kid string
        over string
        message string
        sig string
        signed_at time
        key.kid string
        key.jwk.kty string
        key.jwk.crv string
        key.jwk.x string
        key.published_in string
        canonical string",
    ),
    (
        "assurance-ladder",
        "v integer
        level string?
        order[] string
        rungs[].rung string
        rungs[].state string
        rungs[].why string
        rule string",
    ),
    (
        "error",
        "error string
        code string
        errors[] string
        param string
        retryable boolean
        retry_after_s integer
        request_id string
        docs string",
    ),
    (
        "decision",
        "kind string
        v integer
        domain string
        action string
        nonce string?
        operation object?
        decided_at time
        expires_at time
        clock_skew_s integer
        decision string
        meaning string
        steps[].rule string
        steps[].effect string
        steps[].why string
        reason_codes[] string
        alternatives array
        facts object?
        assessed object
        resolve.sha256 string
        resolve.kid string
        subject.domain string
        subject.host string?
        subject.path string?
        subject.url_without_query string?
        agent.claimed string
        agent.matched_group string?
        agent.basis string
        base_decision string
        tightened_by[] string
        why string
        needs string
        doubts[] string
        reasons[].code string
        reasons[].class string
        reasons[].effect string
        reasons[].retryable boolean
        reasons[].remedy string
        reasons[].detail string
        obligations[].type string
        minimum_assurance string
        assurance_found[] string
        max_age_hours integer
        evidence_age.observed_at time?
        evidence_age.age_hours integer?
        evidence_age.stale boolean
        valid_until time
        basis object
        answer.answer_sha256 string
        answer.address string
        answer.transparency object
        held.decision_sha256 string
        held.state string
        held.stands boolean
        mcp.url string
        mcp.state string
        mcp.surface_sha256 string?
        revocation.feed string
        revocation.cursor string?
        revocation.next_update time
        rules.decision_rules_sha256 string
        rules.version_id string
        sha256 string
        signature object",
    ),
    (
        "mcp-domain-scans",
        "kind string
        v integer
        schema string
        domain string
        scanned_at time
        state string
        why string
        declared_at time?
        endpoints[].url string?
        endpoints[].untrusted_url string
        endpoints[].source string
        endpoints[].state string
        endpoints[].why string
        endpoints[].scan.url string?
        endpoints[].scan.texts.shortened integer
        endpoints[].scan.tools[].untrusted_description string
        endpoints[].scan.tools[].untrusted_input_schema string
        endpoints[].scan.tools[].untrusted_output_schema string
        endpoints[].scan.tools[].cut[] string
        left_out integer
        sha256 string
        signature object",
    ),
    (
        "mcp-lock-check",
        "text_comparison.state string
        text_comparison.compared integer
        text_comparison.left_out integer
        drift[].untrusted_diff.cut boolean
        drift[].untrusted_diff.parts[].change string
        drift[].untrusted_diff.parts[].untrusted_text string",
    ),
    (
        "core",
        "operations[].method string
        operations[].path string
        operations[].operationId string",
    ),
    (
        "graph",
        "kind string
        v integer
        schema string
        id string
        domain string
        generated_at time
        nodes[].id string
        nodes[].type string
        nodes[].label string
        nodes[].state string
        nodes[].observed_at time?
        nodes[].ref string?
        nodes[].digest string?
        edges[].from string
        edges[].to string
        edges[].rel string
        edges[].at time
        edges[].evidence string?
        counts object
        truncated boolean
        context string
        sha256 string
        signature object",
    ),
    (
        "manifest",
        "kind string
        id string
        domain string
        observed_at time
        evidence_sha256 string
        bodies[] string
        sha256 string
        signature object",
    ),
    (
        "build",
        "kind string
        version_id string
        script_sha16 string?
        state string
        deployed.at time?
        deployed.commit string?
        deployed.run string?
        build_log_entry integer?
        score_version integer
        scoring_policy_sha256 string
        decision_rules_sha256 string
        check string
        artifact.name string
        artifact.artifact_sha256 string?
        artifact.bytes integer?
        artifact.target string
        source.repository string?
        source.commit string?
        source.tree_sha string?
        source.tag string?
        source.clean boolean?
        toolchain.rustc string?
        toolchain.cargo_lock_sha256 string?
        toolchain.profile string
        rulepacks[].id string
        rulepacks[].rulepack_sha256 string
        attestation any
        reproducible.state string
        reproducible.by string
        reproducible.at time
        supersedes string?
        superseded_by string?
        active.from time?
        active.to time?
        answers_signed any
        revoked any?
        files.scoring_policy string?
        files.decision_rules string?
        sha256 string
        signature object",
    ),
    (
        "day-seal",
        "kind string
        v integer
        day string
        root string
        leaves integer
        streams{} integer
        log.batch integer
        log.tree_size integer
        log.sth_sha256 string
        log.tree_root string?
        previous.day string
        previous.root string
        previous.seal_sha256 string
        sealed_at time
        sha256 string
        signature object",
    ),
    (
        "proof-day",
        "kind string
        v integer
        schema string
        statement object
        digests[] string",
    ),
    (
        "seal",
        "kind string
        v integer
        schema string
        subject_sha256 string?
        day string?
        state string
        sealed_from time?
        searched.from string?
        searched.to string?
        leaf.index integer
        leaf.leaf_hash string
        leaf.content_rule string
        path[] string
        root string?
        leaves integer?
        seal_sha256 string?
        previous.day string
        previous.root string
        anchors[].type string
        anchors[].state string
        anchors[].calendar string
        anchors[].submitted_at time?
        anchors[].confirmed_at time?
        anchors[].proof string?
        anchors[].detail.block_height integer?
        anchors[].detail.why string?
        statement string?
        verify[] string
        sha256 string
        signature object",
    ),
    (
        "proof-index",
        "kind string
        v integer
        schema string
        days[].day string
        days[].root string
        days[].leaves integer
        days[].seal_sha256 string
        days[].statement string
        days[].anchors[].type string
        days[].anchors[].state string
        days[].anchors[].proof string?
        cursor string?
        has_more boolean
        keys string
        verifier string
        how[] string
        sha256 string
        signature object",
    ),
];

#[test]
fn every_field_of_the_interface_has_its_schema() {
    let mut wrong = Vec::new();
    for (word, fields) in FIELDS {
        let schema = schema_for(word, &Brand::default(), BASE).unwrap();
        wrong.extend(faults(&schema, fields).into_iter().map(|fault| format!("{word}: {fault}")));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_record_of_section_2_is_in_the_list() {
    for kind in KINDS {
        let listed = FIELDS.iter().any(|(word, _)| *word == kind.word);
        // Evidence is ours alone; the interface does not name its fields.
        let must = kind.section.starts_with("2.") && kind.word != "evidence";
        assert!(listed || !must, "{}", kind.word);
    }
}

#[test]
fn the_walker_sees_what_is_missing_and_what_is_typed_otherwise() {
    let schema = schema_for("resolve", &Brand::default(), BASE).unwrap();
    for (field, fault) in [
        ("no_such_field string", "missing"),
        ("dns.no_such_field string", "missing"),
        ("delivery.identities[].no_such_field string", "missing"),
        ("delivery.identities.status integer", "missing"),
        ("domain[] string", "missing"),
        ("actions{} string", "missing"),
        ("answered_at integer", "typed"),
        ("reading time", "typed"),
        ("domain string?", "typed"),
        ("delivery.identities[].status string", "typed"),
    ] {
        let found = faults(&schema, field);
        assert!(found.len() == 1 && found[0].contains(fault), "{field}: {found:?}");
    }
    // A schema that lost one field.
    let mut shorter = schema_for("scan", &Brand::default(), BASE).unwrap();
    shorter["$defs"]["AgentRow"]["properties"].as_object_mut().unwrap().remove("words").unwrap();
    let (_, fields) = FIELDS.iter().find(|(word, _)| *word == "scan").unwrap();
    assert_eq!(faults(&shorter, fields), ["agentview.rows[].words is missing"]);
}

fn faults(schema: &Value, fields: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for line in fields.lines() {
        let (path, kind) = line.trim().split_once(' ').expect("a path and a type");
        let found = walk(schema, path);
        if found.is_empty() {
            faults.push(format!("{path} is missing"));
        } else if !is_typed(schema, &found, kind) {
            faults.push(format!("{path} is not typed as {kind}"));
        }
    }
    faults
}

/// Every schema that stands at `path`.
fn walk<'a>(root: &'a Value, path: &str) -> Vec<&'a Value> {
    let mut here = vec![root];
    for step in path.split('.') {
        let name = step.trim_end_matches(['[', ']', '{', '}']);
        let into = &step[name.len()..];
        here =
            shapes(root, &here).iter().filter_map(|shape| shape["properties"].get(name)).collect();
        let inner = match into {
            "" => continue,
            "[]" => "items",
            "{}" => "additionalProperties",
            other => panic!("{other} is no step"),
        };
        here = shapes(root, &here)
            .iter()
            .filter_map(|shape| shape.get(inner))
            .filter(|shape| shape.is_object())
            .collect();
    }
    here
}

/// The plain schemas behind references and alternatives.
fn shapes<'a>(root: &'a Value, schemas: &[&'a Value]) -> Vec<&'a Value> {
    let mut plain = Vec::new();
    let mut waiting = schemas.to_vec();
    while let Some(schema) = waiting.pop() {
        if let Some(target) = schema["$ref"].as_str() {
            let name = target.strip_prefix("#/$defs/").expect("a reference into $defs");
            waiting.push(root["$defs"].get(name).expect("what is referred to is there"));
        }
        for alternatives in ["oneOf", "anyOf", "allOf"] {
            waiting.extend(schema[alternatives].as_array().into_iter().flatten());
        }
        plain.push(schema);
    }
    plain
}

fn is_typed(root: &Value, found: &[&Value], kind: &str) -> bool {
    let shapes = shapes(root, found);
    let of_type = |wanted: &str| {
        shapes.iter().any(|shape| match &shape["type"] {
            Value::String(only) => only == wanted,
            Value::Array(several) => several.iter().any(|one| one == wanted),
            _ => false,
        })
    };
    let (kind, nullable) = match kind.strip_suffix('?') {
        Some(kind) => (kind, true),
        None => (kind, false),
    };
    let typed = match kind {
        "any" => true,
        "time" => of_type("string") && shapes.iter().any(|shape| shape["format"] == "date-time"),
        "number" => of_type("number") || of_type("integer"),
        plain => of_type(plain),
    };
    typed && (!nullable || of_type("null"))
}
