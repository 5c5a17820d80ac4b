//! The return type of every store method.

use std::future::Future;
use std::pin::Pin;

/// A boxed future, so that `Arc<dyn Store>` works.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
