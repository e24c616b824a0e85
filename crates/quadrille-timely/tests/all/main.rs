//! A world on many workers has the answers of one list. One program, so that the dataflow is compiled once.
//!
//! The promises of the guide, and what shows them; `simulation` shows most of them once more, for any order of events:
//!
//! | | |
//! |---|---|
//! | a tick, its answers, kinds of questions, layers, ids, the last row | `threads::fed_worlds_f32`, `worlds_of_walkers`, and the others there |
//! | ticks in flight; what is not set | `feed::a_feed_is_never_farther_ahead_than_ticks_may_be_in_flight`, `what_is_not_set_is_as_the_guide_says` |
//! | readers, a single feeder, a directory | `threads`, `feed::one_worker_may_feed_all`, `threads::a_directory_takes_rows_from_all` |
//! | rows that cannot be taken; late and early ones | `feed::wrong_rows_change_nothing`, `feed::a_feed_that_fails_stops_all_workers` |
//! | merged answers, of 21 bytes | `threads::merged_answers_are_one_list`, `wire::tests::rows_of_a_message_have_a_factor` |
//! | shares of a sample; a new partition, and only where shares drifted | `partition::tests::each_worker_has_its_share_of_the_sample`, `feed::a_world_is_partitioned_anew_where_shares_have_drifted_alone` |
//! | no tick lost or counted twice, answers that come twice alike | `processes::killed_processes_go_on_as_if_nothing_had_happened`, `simulation::kept` |
//! | another number of workers; restarts in vain | `processes::another_number_of_processes_goes_on`, `supervised::without_progress_it_gives_up_and_tells_who_died_and_how` |
//! | damaged, lost, older stores | `processes::a_store_that_is_damaged_is_an_error`, `a_store_that_is_gone_is_an_error`, `recovery::tests` |
//! | a loss of power; a full disk; no memory | `power`, `processes::a_full_disk_is_an_error`, `starved` |
//! | silence; a long step | `links::both_ends_of_a_dead_connection_say_so`, `a_process_that_computes_for_long_is_waited_for`, `namespaces` |
//! | nobody outlives the first process; loopback | `supervised::nobody_outlives_the_one_that_has_started_it`, `case::started` |
//! | foreign bytes, older starts, messages that cannot be read | `links::whoever_sends_nonsense_is_named`, `simulation::links`, `foreign` |

mod case;
pub(crate) mod common;
mod feed;
mod failing;
mod foreign;
mod links;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(target_os = "linux")]
mod namespaces;
mod killed;
mod pages;
mod power;
mod threads;
mod processes;
mod starved;
mod store;
mod supervised;
mod support;
