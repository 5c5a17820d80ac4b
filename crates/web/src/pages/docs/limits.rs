//! The page about limits: the table of policies with the numbers of this server, and which routes they hold for.

use std::time::Duration;

use contract::policies::{
    CROWD_FACTOR, CROWD_IPV4_BITS, CROWD_IPV6_BITS, CountedBy, NETWORK_TIERS, POLICIES, Period,
    Policy,
};
use service::ServiceLimits;

use crate::{
    pages::html::Html,
    rate_limits::{EXACT_MAX, ROUTE_POLICIES, RateLimits, RouteLimit},
};

/// The limits that are in force.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LimitsInForce<'a> {
    pub(crate) rates: &'a RateLimits,
    pub(crate) service: &'a ServiceLimits,
}

pub(super) fn render(limits: LimitsInForce<'_>) -> String {
    let mut main = Html::new();
    main.raw(
        "<p>These are the limits of this server. <code>RateLimit-Policy</code> and <code>RateLimit</code> in each \
         response show those that the request was counted against and what is left of them. A refusal (429) has \
         <code>Retry-After</code>: the same request is accepted after that time, if nothing else was counted \
         meanwhile. What is refused is not counted.</p>\n",
    );
    render_policies(&mut main, limits);
    render_networks(&mut main);
    render_routes(&mut main);
    main.into_string()
}

fn render_policies(main: &mut Html, limits: LimitsInForce<'_>) {
    main.raw("<h2 id=\"policies\">Policies</h2>\n<div class=\"wide\"><table role=\"table\">");
    main.raw("<caption class=\"vh\">Every limit with its number</caption>");
    head(main, ["Name", "What counts", "How many", "Counted by"]);
    for policy in &POLICIES {
        main.raw("<tr role=\"row\"><td role=\"cell\"><code>").text(policy.name);
        main.raw("</code></td><td role=\"cell\">").text(policy.counts);
        main.raw("</td><td role=\"cell\">").text(how_many(policy, limits));
        main.raw("</td><td role=\"cell\">").text(counted_by(policy.counted_by));
        main.raw("</td></tr>\n");
    }
    main.raw("</tbody></table></div>\n");
    main.raw(
        "<p>Refusals because of a site's own limits name the policy <code>target</code>.</p>\n",
    );
}

fn head(main: &mut Html, titles: [&'static str; 4]) {
    main.raw("<thead role=\"rowgroup\"><tr role=\"row\">");
    for title in titles {
        if !title.is_empty() {
            main.raw("<th role=\"columnheader\" scope=\"col\">").text(title).raw("</th>");
        }
    }
    main.raw("</tr></thead><tbody role=\"rowgroup\">\n");
}

/// The number of this server, and in which time.
fn how_many(policy: &Policy, limits: LimitsInForce<'_>) -> String {
    let rate = limits.rates.max_of(policy);
    let max = rate.unwrap_or_else(|| limits.service.max_of(policy));
    let Some(max) = max else { return "no limit".to_owned() };
    let period = match policy.period {
        // A rate that an operator set so high refills like the others.
        Period::Exact(window) if rate.is_some() && max > EXACT_MAX => Period::Steady(window),
        period => period,
    };
    match period {
        Period::Steady(_) if max == 0 => "none".to_owned(),
        Period::Steady(window) => {
            format!("{max} at once, and one more every {}", seconds(window / max))
        }
        Period::Exact(window) => format!("{max} in any {}", seconds(window)),
        Period::Day => format!("{max} in a UTC day"),
        Period::AtOnce => format!("{max} at the same time"),
    }
}

/// Seconds with as many decimals as it takes, at most four.
fn seconds(time: Duration) -> String {
    let text = format!("{:.4}", time.as_secs_f64());
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} s")
}

fn counted_by(counted_by: CountedBy) -> &'static str {
    match counted_by {
        CountedBy::Address => "address",
        CountedBy::Licence => "licence",
        CountedBy::Target => "site that is read, over all clients",
        CountedBy::Everybody => "all clients together",
    }
}

fn render_networks(main: &mut Html) {
    main.raw("<h2 id=\"networks\">What an address is</h2>\n<p>");
    main.text(
        "An IPv4 address counts by itself. An IPv6 address counts as its /64 network, because whoever has one \
         address of it has all. Larger IPv6 networks are counted as well: ",
    );
    for (number, tier) in NETWORK_TIERS.iter().enumerate() {
        let comma = if number == 0 { "" } else { ", and " };
        main.text(format!("{comma}a /{} has {} times the limit", tier.prefix_bits, tier.factor));
    }
    main.text(
        ". The headers show the count that is nearest to refusing; the name of a network's count ends with the \
         length of its prefix, such as ",
    );
    main.raw("<code>read-56</code>").text(
        ". Free scans in a day are counted by /64 and by /48. A licence counts wherever its requests come from.",
    );
    main.raw("</p>\n<p>").text(format!(
        "If more clients ask at once than this server can count one by one, those that it does not know yet are \
         counted by their network (IPv4 /{CROWD_IPV4_BITS}, IPv6 /{CROWD_IPV6_BITS}), which has {CROWD_FACTOR} \
         times the limit; the names of these counts end with "
    ));
    main.raw("<code>-crowd</code>").text(". Clients that were there before keep their own count.");
    main.raw("</p>\n");
}

fn render_routes(main: &mut Html) {
    main.raw("<h2 id=\"routes\">Routes</h2>\n<p>").text(
        "The first policy counts every request of the route, the others count some. With a licence key, the policy \
         with ",
    );
    main.raw("<code>keyed-</code>").text(" before its name counts in its place, if there is one.");
    main.raw("</p>\n<div class=\"wide\"><table role=\"table\">");
    main.raw("<caption class=\"vh\">The limits of every route</caption>");
    head(main, ["Route", "Limits", "", ""]);
    for route in ROUTE_POLICIES {
        main.raw("<tr role=\"row\"><td role=\"cell\"><code>");
        main.text(format!("{} {}", route.method, route.path)).raw("</code></td><td role=\"cell\">");
        match route.limit {
            RouteLimit::Policies(names) => main.text(names.join(", ")),
            RouteLimit::Unlimited(reason) => main.text(format!("none: {reason}")),
        };
        main.raw("</td></tr>\n");
    }
    main.raw("</tbody></table></div>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RateLimit;

    #[test]
    fn the_page_has_every_policy_and_route_with_the_numbers_in_force() {
        let rates = RateLimits {
            reads: vec![RateLimit { max: 77, window: Duration::from_secs(60) }],
            metrics: Vec::new(),
            ..RateLimits::default()
        };
        let service = ServiceLimits { outcomes_per_day: Some(9), ..ServiceLimits::default() };
        let page = render(LimitsInForce { rates: &rates, service: &service });
        for policy in POLICIES {
            let cell = format!("<td role=\"cell\"><code>{}</code></td>", policy.name);
            assert_eq!(page.matches(&cell).count(), 1, "{}", policy.name);
        }
        for route in ROUTE_POLICIES {
            let cell = format!("<code>{} {}</code>", route.method, route.path);
            assert_eq!(page.matches(&cell).count(), 1, "{cell}");
        }
        for shown in [
            "5 in any 10 s",
            "6 in any 60 s",
            "77 at once, and one more every 0.7792 s",
            "600 at once, and one more every 0.1 s",
            "30 at once, and one more every 2 s",
            "9 in a UTC day",
            "20 in a UTC day",
            "8 at the same time",
            "1 at the same time",
            "6 in any 3600 s",
            "no limit",
            "a /56 has 4 times the limit, and a /48 has 16 times the limit",
        ] {
            assert!(page.contains(shown), "{shown}");
        }
        let scans = vec![RateLimit { max: 100, window: Duration::from_secs(10) }];
        let rates = RateLimits { scans, ..RateLimits::default() };
        let page = render(LimitsInForce { rates: &rates, service: &service });
        assert!(page.contains("100 at once, and one more every 0.1 s"));
    }
}
