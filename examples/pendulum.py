"""Learn to swing up a pendulum, then look at what was learnt: a cell after the other, for a notebook or a shell.

Run it as `python examples/pendulum.py`; it takes half a minute.
"""

# %% an agent, and an environment of Gymnasium by its name; every keyword is a setting
import wac

agent = wac.Agent(
    "me-wac",
    "Pendulum-v1",
    reward_min=-16.3,  # WAC begins with what is known of rewards
    reward_max=0,
    width=64,
    batch_size=128,
    learning_rate=1e-3,
    std_learning_rate=1e-3,
    update_interval=1,
    directory="runs/pendulum-example",
)

# %% learn; Ctrl-C stops, and learn goes on
agent.learn(10_000, progress_bar=True)
print(agent.evaluate(10))

# %% act, and see how sure it is: upright and still, then hanging
import numpy as np

for angle in (0.0, np.pi):
    observation = np.array([np.cos(angle), np.sin(angle), 0.0])
    action = agent.predict(observation)
    mean, std = agent.value(observation, action)
    print(f"at {angle:.1f} rad push {action[0]:+.2f}, worth {mean:.1f} +- {std:.1f}")

# %% the table of the run; pandas.DataFrame(wac.read(...)) makes a data frame of it
for epoch, value in zip(agent.history["epoch"], agent.history["eval_return"]):
    print(f"epoch {epoch:2.0f}: {value:8.1f}")
