//! The only way out: guarded names, addresses, sockets, TLS and HTTP
