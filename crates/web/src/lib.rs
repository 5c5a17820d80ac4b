//! One screen of routes, the error shape, limits, OpenAPI, pages
