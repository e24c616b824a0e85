//! The scenes of a run, and the workloads of each: as the command line has it, the cliffs, or how times grow.

use crate::cliffs;
use crate::contender::Contender;
use crate::data::{Form, Scalar, Shape, Space};
use crate::places::Distribution;
use crate::plan::Plan;
use crate::task::{OURS, Task};
use crate::workload::{Before, From, Workload};

/// The numbers of objects between which growth is shown.
const GROWTH: [usize; 8] = [1000, 4000, 10_000, 40_000, 100_000, 400_000, 1_000_000, 4_000_000];
/// One index of each kind, or growth would take hours.
const GROWING: [&str; 4] = ["rstar bulk", "parry2d bulk", "kiddo immutable", "packed_spatial_index"];

/// Everything that is measured in one run.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// How thoroughly; the workloads are those of the tasks.
    pub(crate) plan: Plan,
    pub(crate) tasks: Vec<Task>,
    /// Only these contenders, if there are any.
    pub(crate) contenders: Vec<String>,
    /// Whether unusual contenders take part too.
    pub(crate) unusual: bool,
}

impl Order {
    /// All of these, each in each form; where distributions or workloads are not named, the usual ones of the space.
    pub(crate) fn tasks(
        spaces: &[Space],
        numbers: &[usize],
        distributions: &[Distribution],
        forms: &[Form],
        workloads: &[Workload],
    ) -> Vec<Task> {
        let mut tasks = Vec::new();
        for (&n, &space) in numbers.iter().flat_map(|n| spaces.iter().map(move |space| (n, space))) {
            for &distribution in distributions_of(space, distributions) {
                for &form in forms {
                    let task = Task::new(n, distribution, form, &workloads_of(space, workloads));
                    tasks.push(Task { space, ..task });
                }
            }
        }
        tasks
    }

    /// How many tables there will be.
    pub(crate) fn len(&self) -> usize {
        self.tasks.iter().map(|task| task.workloads.len()).sum()
    }

    /// Those of the contenders that take part in a task; unusual settings only among ordinary objects.
    pub(crate) fn chosen<P: Shape<S, D>, S: Scalar, const D: usize>(
        &self,
        task: &Task,
        contenders: Vec<Contender<P, S, D>>,
    ) -> Vec<Contender<P, S, D>> {
        let with_unusual = self.unusual && task.distribution == Distribution::Uniform;
        let chosen = |contender: &Contender<P, S, D>| {
            let usual = self.contenders.is_empty() && !contender.unusual;
            let ours = contender.name == OURS || contender.unusual && with_unusual;
            usual || ours || self.contenders.iter().any(|name| name == contender.name)
        };
        contenders.into_iter().filter(chosen).collect()
    }
}

/// The distributions that are named; if none is, the usual ones of that space.
fn distributions_of(space: Space, named: &[Distribution]) -> &[Distribution] {
    match (named.is_empty(), space) {
        (false, _) => named,
        (true, Space::Plane) => &[Distribution::Uniform, Distribution::Clustered],
        (true, Space::Solid | Space::Double) => &[Distribution::Uniform],
    }
}

/// The workloads that are named; if none is, the usual ones of that space.
fn workloads_of(space: Space, named: &[Workload]) -> Vec<Workload> {
    if !named.is_empty() {
        return named.to_vec();
    }
    let usual = |workload: &Workload| !workload.is_rare() && (space == Space::Plane || workload.is_main());
    Workload::ALL.into_iter().filter(usual).collect()
}

/// The cliffs, with their rivals.
pub(crate) fn cliffs(plan: Plan, numbers: &[usize], contenders: &[String]) -> Order {
    let rivals = cliffs::RIVALS.map(str::to_owned);
    let contenders = if contenders.is_empty() { rivals.to_vec() } else { contenders.to_vec() };
    let tasks = numbers.iter().flat_map(|&n| cliffs::tasks(n)).collect();
    Order { plan, tasks, contenders, unusual: true }
}

/// How times grow with the number of objects.
pub(crate) fn growth(plan: Plan, numbers: &[usize], contenders: &[String]) -> Order {
    let numbers = if numbers.is_empty() { &GROWTH } else { numbers };
    let contenders = if contenders.is_empty() { GROWING.map(str::to_owned).to_vec() } else { contenders.to_vec() };
    let uniform = [
        Workload::Window(10, Before::Built),
        Workload::Window(1000, Before::Built),
        Workload::Nearest(1, From::Inside),
        Workload::Move,
        Workload::Insert,
        Workload::Remove,
    ];
    let scenes = |&n: &usize| {
        [
            Task::new(n, Distribution::Uniform, Form::Point, &uniform),
            Task::new(n, Distribution::CrowdAcross, Form::Point, &[Workload::Nearest(1, From::Corner)]),
        ]
    };
    Order { plan, tasks: numbers.iter().flat_map(scenes).collect(), contenders, unusual: false }
}
