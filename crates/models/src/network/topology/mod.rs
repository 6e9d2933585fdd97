//! Stand-in until the module of topologies is merged: a star.
#![allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node { Host(u32), Switch(u32) }
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind { Host, Trunk }
#[derive(Clone, Debug)]
pub struct Link { pub from: Node, pub to: Node, pub kind: LinkKind, pub back: u32 }
#[derive(Clone, Copy, Debug)]
pub struct Way { pub destination: u32 }
#[derive(Clone, Debug)]
pub struct Wiring { links: Vec<Link>, hosts: u32 }
impl Wiring {
    pub fn star(hosts: u32) -> Self {
        let switch = Node::Switch(0);
        let up = (0..hosts).map(|h| Link { from: Node::Host(h), to: switch, kind: LinkKind::Host, back: hosts + h });
        let down = (0..hosts).map(|h| Link { from: switch, to: Node::Host(h), kind: LinkKind::Host, back: h });
        Self { links: up.chain(down).collect(), hosts }
    }
    pub fn links(&self) -> &[Link] { &self.links }
    pub fn switches(&self) -> u32 { 1 }
    pub fn is_shared(&self) -> bool { false }
    pub fn way(&self, _: u32, destination: u32, _: u32, _: &dyn Fn(u32) -> u64) -> Way { Way { destination } }
    pub fn next(&self, at: Node, way: &mut Way) -> Option<u32> {
        match at { Node::Host(h) => Some(h), Node::Switch(_) => Some(self.hosts + way.destination) }
    }
}
