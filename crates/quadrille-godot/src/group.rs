//! The nodes `SpatialGroup2D` and `SpatialGroup3D`, which keep an index in step with a group of nodes, and the zones
//! `SpatialZone2D` and `SpatialZone3D`, which tell who enters and leaves.

use godot::classes::{INode, INode2D, INode3D};
use godot::prelude::*;

use crate::follow::{Followed, Inside, Nodes, take_over, tell};
use crate::index::{SpatialIndex2D, SpatialIndex3D, told};
use crate::shapes::{around, ball};

macro_rules! group {
    ($group:ident $zone:ident $index:ident $vector:ident $node:ident $inode:ident $radius:literal) => {
        /// Keeps an index in step with the nodes of a group: with their positions, and with who joins, leaves and is freed.
        ///
        /// It looks at the nodes in each physics frame, before other nodes unless you set [member Node.process_physics_priority]. In
        /// [member space] a node's id is its [method Object.get_instance_id], so [method @GlobalScope.instance_from_id] leads from an
        /// answer to a node. A node whose position is not finite stays where it was, with an error.
        #[derive(GodotClass)]
        #[class(init, base = Node)]
        pub(crate) struct $group {
            /// The group whose nodes are followed. Other nodes than those with a position are passed over.
            #[export]
            group: StringName,
            /// The layer of those that are followed, from 1 to 32.
            #[export]
            #[init(val = 1)]
            layer: i64,
            /// Nodes are boxes of this size around their positions.
            #[export]
            size: $vector,
            /// How near to each other two nodes are in contact. If below 0, contacts are not looked for.
            #[export]
            #[init(val = -1.0)]
            contact_distance: f64,
            /// The index. Ask it whatever you like, or put other things into it too; two groups may share one.
            #[var]
            #[init(val = $index::new_gd())]
            space: Gd<$index>,
            /// The nodes of the group when it was looked at last, and those of them that have a position.
            known: Array<Gd<Node>>,
            nodes: Nodes<$node>,
            followed: Followed,
            base: Base<Node>,
        }

        #[godot_api]
        impl INode for $group {
            fn ready(&mut self) {
                if self.base().get_physics_process_priority() == 0 {
                    self.base_mut().set_physics_process_priority(-1);
                }
            }

            fn physics_process(&mut self, _delta: f64) {
                self.update();
            }
        }

        #[godot_api]
        impl $group {
            /// Two nodes have come into contact.
            #[signal]
            fn contact_began(one: Option<Gd<$node>>, other: Option<Gd<$node>>);

            /// Two nodes are in contact no more. One that was freed is [code]null[/code].
            #[signal]
            fn contact_ended(one: Option<Gd<$node>>, other: Option<Gd<$node>>);

            /// Looks at the nodes now, as in each physics frame.
            #[func]
            fn update(&mut self) {
                let Some(tree) = self.base().get_tree_or_null() else { return };
                let group = tree.get_nodes_in_group(&self.group);
                if group != self.known {
                    take_over(&mut self.nodes, &self.known, &group, |node| node.is_in_group(&self.group));
                    self.known = group;
                }
                let place = |node: &Gd<$node>| around(node.get_global_position().to_array(), self.size.to_array());
                let news = told("update", || {
                    let core = &mut self.space.bind_mut().core;
                    self.followed.update(core, &self.nodes, place, self.layer, self.contact_distance)
                });
                tell(self.base_mut().upcast_mut(), ["contact_began", "contact_ended"], news);
            }
        }

        /// Tells which nodes of a group enter and leave a circle or a box around it: signals [signal entered] and [signal left].
        ///
        /// It looks in each physics frame, and moves as other nodes do; rotation and scale mean nothing to it.
        #[derive(GodotClass)]
        #[class(init, base = $node)]
        pub(crate) struct $zone {
            /// The node that follows those who may enter.
            #[export]
            #[var(get = get_group)]
            group: Option<Gd<$group>>,
            /// How far the zone reaches.
            #[export]
            #[init(val = $radius)]
            radius: f64,
            /// If not zero, the zone is a box of this size around its position.
            #[export]
            size: $vector,
            inside: Inside,
            base: Base<$node>,
        }

        #[godot_api]
        impl $inode for $zone {
            fn physics_process(&mut self, _delta: f64) {
                self.look();
            }
        }

        #[godot_api]
        impl $zone {
            /// A node is inside, and was not when the zone looked before.
            #[signal]
            fn entered(node: Option<Gd<$node>>);

            /// A node is no longer inside. One that was freed is [code]null[/code].
            #[signal]
            fn left(node: Option<Gd<$node>>);

            /// See [member group].
            #[func]
            fn get_group(&self) -> Option<Gd<$group>> {
                self.group.as_ref().filter(|group| group.is_instance_valid()).cloned()
            }

            /// The ids of those who were inside when the zone looked last.
            #[func]
            fn get_ids(&self) -> PackedInt64Array {
                self.inside.ids.values().copied().collect()
            }

            /// Looks now, as in each physics frame.
            #[func]
            fn look(&mut self) {
                let Some(group) = self.get_group() else { return };
                let position = self.base().get_global_position().to_array();
                let news = told("look", || {
                    let (group, inside) = (group.bind(), &mut self.inside);
                    let core = &group.space.bind().core;
                    if self.size == $vector::ZERO {
                        inside.look(core, ball(position, self.radius), group.layer)
                    } else {
                        inside.look(core, around(position, self.size.to_array()), group.layer)
                    }
                });
                tell(self.base_mut().upcast_mut(), ["entered", "left"], news);
            }
        }
    };
}

group! { SpatialGroup2D SpatialZone2D SpatialIndex2D Vector2 Node2D INode2D 10.0 }
group! { SpatialGroup3D SpatialZone3D SpatialIndex3D Vector3 Node3D INode3D 0.5 }
