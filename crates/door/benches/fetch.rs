//! Fetch throughput of the door beside a bare client.

fn main() {}
