//! Markings as data: serialised and hashed where the token types allow (the ground for state spaces).

use crate::binding::store_of;
use crate::marking::Marking;
use crate::net::Net;
use crate::place::Colour;
use crate::store::AnyStore;
use petrio_random::fnv1a;
use serde_json::{Value, json};

pub(crate) fn encode_store<T: Colour + serde::Serialize>(store: &dyn AnyStore) -> Value {
    let store = store_of::<T>(store);
    let encode = |token: &T| serde_json::to_value(token).unwrap_or(Value::Null);
    let mut ready = Vec::new();
    store.ready.for_each(&mut |token| ready.push(encode(token)));
    let delayed: Vec<Value> = store.timed.iter().map(|(_, token)| encode(token)).collect();
    let mut served = Vec::new();
    if let Some(station) = &store.station {
        station.for_each(&mut |token| served.push(encode(token)));
    }
    json!({ "ready": ready, "delayed": delayed, "served": served })
}

impl Marking {
    /// The clock and all tokens, by the paths of their places. `None` unless every place was declared
    /// [`encodable`](crate::PageBuilder::encodable).
    pub fn encode(&self, net: &Net) -> Option<Value> {
        let mut places = serde_json::Map::new();
        for (spec, store) in net.structure.places.iter().zip(&self.stores) {
            places.insert(spec.path.clone(), spec.encode?(&**store));
        }
        Some(json!({ "clock_ps": self.clock, "places": places }))
    }

    /// A hash of [`Marking::encode`], the same on every machine.
    pub fn fingerprint(&self, net: &Net) -> Option<u64> {
        Some(fnv1a(self.encode(net)?.to_string().bytes()))
    }
}
