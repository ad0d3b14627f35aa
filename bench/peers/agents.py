#!/usr/bin/env python3
"""Whole trainings side by side: SAC of ours, Stable-Baselines3, sbx and RLtools, all from Python.

usage: agents.py [pendulum|halfcheetah] [--rounds N] [--only NAME,NAME]

Needs the packages wac, stable-baselines3, sbx-rl and rltools (with mkl) in this Python; who is not there
is passed over. The same environment of Gymnasium, number of steps, networks, batch, rates, and one update
of everything after each step. Each training is a process of its own, on the same processors; rounds take
turns. Timed is learning alone: no imports, no compilation ahead of time (RLtools'), no evaluation. sbx
compiles while it learns, which is in its time. "of cores" are the seconds of all processors together, which other
work on the machine does not change much. The policy that comes out is then played for ten episodes.
"""
import json
import os
import statistics
import subprocess
import sys
import time

TASKS = {
    "pendulum": dict(env="Pendulum-v1", steps=10_000, start=100, width=64, batch=100, rate=1e-3, first="inputs"),
    "halfcheetah": dict(env="HalfCheetah-v5", steps=20_000, start=1_000, width=256, batch=256, rate=3e-4, first="outputs"),
}
EPISODES = 10


def play(env, act):
    """The mean return of episodes whose seeds are the same for all."""
    returns = []
    for seed in range(EPISODES):
        observation, _ = env.reset(seed=1000 + seed)
        total, over = 0.0, False
        while not over:
            observation, reward, terminated, truncated, _ = env.step(act(observation))
            total += float(reward)
            over = terminated or truncated
        returns.append(total)
    return statistics.mean(returns)


def timed(learn):
    """Seconds that it takes, and seconds of processors."""
    start, busy = time.perf_counter(), time.process_time()
    learn()
    return time.perf_counter() - start, time.process_time() - busy


def ours(task, seed, algorithm="sac", **others):
    import gymnasium
    import wac

    agent = wac.Agent(
        algorithm, gymnasium.make(task["env"]), seed=seed, initial_steps=task["start"],
        explore_steps=task["steps"] - task["start"], updates=task["steps"] - task["start"],
        update_interval=1, evaluation_steps=0, width=task["width"], batch_size=task["batch"],
        learning_rate=task["rate"], first_weights=task["first"],
        replay_capacity=task["steps"], replay_checkpoint="none",
        threads=int(os.environ.get("WAC_THREADS", "1")), **others)
    spent = timed(lambda: agent.learn(task["steps"]))
    return *spent, play(gymnasium.make(task["env"]), agent.predict)


def baselines(task, seed, package):
    import gymnasium

    if package == "sb3":
        import torch
        from stable_baselines3 import SAC

        torch.set_num_threads(len(os.sched_getaffinity(0)))
        shape = dict(net_arch=[task["width"]] * 2)
    else:
        from sbx import SAC

        shape = dict(net_arch=[task["width"]] * 2)
    agent = SAC("MlpPolicy", gymnasium.make(task["env"]), seed=seed, learning_rate=task["rate"],
                buffer_size=task["steps"], learning_starts=task["start"], batch_size=task["batch"],
                policy_kwargs=shape, train_freq=1, gradient_steps=1)
    spent = timed(lambda: agent.learn(task["steps"]))
    return *spent, play(gymnasium.make(task["env"]), lambda o: agent.predict(o, deterministic=True)[0])


def rltools(task, seed):
    import gymnasium
    import numpy
    from gymnasium.wrappers import RescaleAction
    from rltools import SAC

    def make():
        return RescaleAction(gymnasium.make(task["env"]), -1, 1)

    module = SAC(make, enable_evaluation=False, interface_name=task["env"].replace("-", "_"),
                 STEP_LIMIT=task["steps"], N_WARMUP_STEPS=task["start"], ACTOR_BATCH_SIZE=task["batch"],
                 CRITIC_BATCH_SIZE=task["batch"], ACTOR_HIDDEN_DIM=task["width"],
                 CRITIC_HIDDEN_DIM=task["width"], OPTIMIZER_ALPHA=task["rate"])
    state = module.State(seed)
    def learn():
        while not state.step():
            pass

    spent = timed(learn)
    env = make()
    size = env.action_space.shape[0]
    return *spent, play(env, lambda o: numpy.asarray(state.action(o)).reshape(-1)[:size])


WHO = {
    "wac": ours,
    "stable-baselines3": lambda task, seed: baselines(task, seed, "sb3"),
    "sbx": lambda task, seed: baselines(task, seed, "sbx"),
    "rltools": rltools,
}


def main():
    words = sys.argv[1:]
    if words[:1] == ["--one"]:
        print(json.dumps(WHO[words[1]](TASKS[words[2]], int(words[3]))))
        return
    rounds = int(words[words.index("--rounds") + 1]) if "--rounds" in words else 3
    only = words[words.index("--only") + 1].split(",") if "--only" in words else list(WHO)
    tasks = [word for word in words if word in TASKS] or list(TASKS)
    for name in tasks:
        task, found = TASKS[name], {who: [] for who in only}
        print(f"{task['env']}, {task['steps']} steps, networks of {task['width']}, batches of "
              f"{task['batch']}", flush=True)
        for seed in range(1, rounds + 1):
            for who in only:
                done = subprocess.run([sys.executable, __file__, "--one", who, name, str(seed)],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                if done.returncode:
                    last = (done.stderr.strip().splitlines() or ["?"])[-1]
                    print(f"  {who}: {last[:200]}", flush=True)
                else:
                    found[who].append(json.loads(done.stdout.strip().splitlines()[-1]))
        print(f"  {'':18} {'seconds':>8} {'of cores':>8} {'steps/s':>8} {'return':>8}   medians of {rounds}")
        for who, results in found.items():
            if results:
                seconds, busy, mean = (statistics.median(column) for column in zip(*results))
                print(f"  {who:18} {seconds:8.2f} {busy:8.2f} {task['steps'] / seconds:8.0f} {mean:8.1f}",
                      flush=True)


if __name__ == "__main__":
    main()
