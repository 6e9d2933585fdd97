//! What a client or a server has ready after a step leaves it.

use petrio_kernel::{Colour, Firing, Update};

/// Puts all that a state has ready, in order; the list keeps its room.
pub fn drain<S: Colour, T>(
    f: &mut Firing<'_>,
    state: Update<S>,
    ready: impl Fn(&mut S) -> &mut Vec<T>,
    mut put: impl FnMut(&mut Firing<'_>, T),
) {
    let mut items = std::mem::take(ready(f.update(state)));
    for item in items.drain(..) {
        put(f, item);
    }
    *ready(f.update(state)) = items;
}
