"""Writes bro_small.safetensors: updates of BRO by its authors' program, as docs/verify.md has them.

usage: bro.py FOLDER_OF_BRO COMMIT

FOLDER_OF_BRO is a copy of github.com/naumix/BiggerRegularizedOptimistic at that commit; JAX, Flax, Optax, TensorFlow
Probability and Gymnasium from anywhere. The program runs as it is, but for the sizes of its networks and a weight decay
that is large enough to be seen. What it draws is drawn once more on the way, by its own keys. Weights begin with noise, but
means and deviations of the policy where tanh is not flat: there its slope is not the same number in both. A pessimism shows
that it is heeded, and rewards are large enough that some errors are beyond Huber's 1.
"""
import functools
import sys

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import optax

from bronet import keep_network
from recorder import keep, tensors, write
from simba import keep_dense, shaken

O, A, WIDTH, BLOCKS, POLICY_WIDTH, POLICY_BLOCKS, BATCH, STEPS, EXPLORED = 3, 2, 16, 2, 8, 1, 8, 4, 6
RATE, DECAY, DISCOUNT, TAU, TARGET, QUANTILES, ALPHA = 1e-3, 0.5, 0.97, 0.01, -0.5, 7, 0.3
PESSIMISM, OPTIMISM, WEIGHT, AWAY, WEIGHT_RATE, STD = 0.4, 1.5, 0.6, 0.05, 1e-2, 0.6


def first(model):
    """The only seed's."""
    return model.replace(params=jax.tree_util.tree_map(lambda values: values[0], model.params))


def keep_policy(path, params, heads):
    """Layers and heads; BroNet's come without a head of their own."""
    keep_network(path, params, POLICY_BLOCKS, [])
    for i, head in enumerate(heads):
        if "bias" in params[f"Dense_{i}"]:
            keep_dense(f"{path}/{head}", params[f"Dense_{i}"])
        else:
            keep(f"{path}/{head}/weight", np.asarray(params[f"Dense_{i}"]["kernel"]).T)


def keep_networks(folder, agent):
    keep_policy(f"{folder}/policy", first(agent.actor).params, ["mean", "log_std"])
    keep_policy(f"{folder}/optimist", first(agent.actor_o).params, ["shift"])
    for prefix, twins in {"": agent.critic, "target_": agent.target_critic}.items():
        for k in range(2):
            keep_network(f"{folder}/{prefix}q{k + 1}", first(twins).params[f"Critic_{k}"], BLOCKS, ["out"])


def normal(key, rows):
    """What a Gaussian of the program draws with a key, in deviations."""
    from jaxrl.networks.policies import tfb, tfd
    unit = tfd.TransformedDistribution(tfd.MultivariateNormalDiag(jnp.zeros((rows, A)), jnp.ones((rows, A))),
                                       tfb.Identity())
    return unit.sample(seed=key)


def keep_draws(step, rng):
    """An update's three keys, one after the other."""
    for name in ("next", "policy", "optimist"):
        rng, key = jax.random.split(rng)
        keep(f"in/step{step}/noise_{name}", normal(key, BATCH))


def losses_of(agent, batch):
    """The loss of each critic, of which the program tells the sum."""
    from jaxrl.bro.critic import calculate_quantile_huber_loss as huber
    actor, critic, target = first(agent.actor), first(agent.critic), first(agent.target_critic)
    _, key = jax.random.split(agent.rng[0])
    dist = actor(batch.next_observations)
    action = dist.sample(seed=key)
    low, high = target(batch.next_observations, action)
    value = (low + high) / 2 - PESSIMISM * jnp.abs(low - high) / 2
    value -= first(agent.temp)() * dist.log_prob(action)[:, None]
    value = batch.rewards[:, None] + DISCOUNT * batch.masks[:, None] * value
    return [huber(value[:, None, :] - q[..., None], agent.quantile_taus)
            for q in critic(batch.observations, batch.actions)]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.path.insert(0, sys.argv[1])
    sys.modules["gym"] = gymnasium  # of which the program's replay, not used here, wants the older one
    from jaxrl.bro.bro_learner import BRO
    from jaxrl.networks import critic_net, policies
    from jaxrl.replay_buffer import Batch

    for name in ("NormalTanhPolicy", "DualTanhPolicy"):
        setattr(policies, name, functools.partial(getattr(policies, name), hidden_dims=POLICY_WIDTH, depth=POLICY_BLOCKS))
    critic_net.DoubleCritic = functools.partial(critic_net.DoubleCritic, hidden_dims=WIDTH, depth=BLOCKS)
    optax.adamw = functools.partial(optax.adamw, weight_decay=DECAY)

    draw = np.random.default_rng(1)
    agent = BRO(1, jnp.zeros((1, O)), jnp.zeros((1, A)), actor_lr=RATE, critic_lr=RATE, temp_lr=RATE, adj_lr=WEIGHT_RATE,
                discount=DISCOUNT, tau=TAU, target_entropy=TARGET * A, init_temperature=ALPHA, init_optimism=OPTIMISM,
                init_regularizer=WEIGHT, pessimism=PESSIMISM, num_seeds=1, n_quantiles=QUANTILES, kl_target=AWAY,
                std_multiplier=STD)
    for name in ("actor", "actor_o", "critic", "target_critic"):
        setattr(agent, name, shaken(getattr(agent, name), draw))
    heads = agent.actor.params
    for head, centre in {"Dense_0": 0, "Dense_1": 0.3}.items():
        heads[head]["kernel"] *= 0.1
        heads[head]["bias"] = 0.1 * heads[head]["bias"] + centre
    keep_networks("in/init", agent)
    keep("in/init/log_alpha", np.log([ALPHA]))
    for step in range(STEPS):
        values = {"observations": draw.uniform(-1, 1, (BATCH, O)), "actions": draw.uniform(-1, 1, (BATCH, A)),
                  "rewards": draw.uniform(-3, 3, BATCH), "next_observations": draw.uniform(-1, 1, (BATCH, O)),
                  "terminals": draw.random(BATCH) < 0.2}
        values = {name: jnp.asarray(array, jnp.float32) for name, array in values.items()}
        for name, array in values.items():
            keep(f"in/step{step}/{name}", array)
        batch = Batch(values["observations"], values["actions"], values["rewards"], 1 - values["terminals"],
                      values["terminals"], values["next_observations"])
        keep_draws(step, agent.rng[0])
        losses = losses_of(agent, batch)
        told = agent.update(jax.tree_util.tree_map(lambda array: array[None, None], batch), 1, 0)
        assert jnp.isclose(sum(losses), told["critic_loss"][0], rtol=1e-5)
        for k, loss in enumerate(losses):
            keep(f"expect/step{step}/loss_q{k + 1}", [loss])
        keep(f"expect/step{step}/alpha", [first(agent.temp)()])
        keep(f"expect/step{step}/optimism", [first(agent.optimism)()])
        keep(f"expect/step{step}/divergence_weight", [first(agent.regularizer)()])
    keep_networks("expect/final", agent)
    states = jnp.asarray(draw.uniform(-1, 1, (EXPLORED, O)), jnp.float32)
    keep("in/explore/observations", states)
    keep("in/explore/noise", normal(jax.random.split(agent.rng[0])[1], EXPLORED))
    keep("expect/explore/actions", agent.sample_actions_o(states[None])[0])
    keep("expect/evaluate/actions", agent.sample_actions(states[None], temperature=0.0)[0])
    assert not np.allclose(tensors["expect/explore/actions"], tensors["expect/evaluate/actions"], atol=0.01)
    write("bro_small.safetensors", {
        "algorithm": "bro", "network": "bronet", "log_std": "bent", "observation_size": O, "action_size": A,
        "hidden_size": WIDTH, "blocks": BLOCKS, "policy_width": POLICY_WIDTH, "policy_blocks": POLICY_BLOCKS,
        "weight_decay": DECAY, "batch_size": BATCH, "steps": STEPS, "discount": DISCOUNT, "target_rate": TAU,
        "learning_rate": RATE, "entropy_target": TARGET, "quantiles": QUANTILES, "pessimism": PESSIMISM,
        "optimism": OPTIMISM, "divergence_weight": WEIGHT, "divergence_target": AWAY, "divergence_rate": WEIGHT_RATE,
        "optimist_std": STD,
        "source": f"github.com/naumix/BiggerRegularizedOptimistic {sys.argv[2]}, JAX {jax.__version__}, "
                  f"Optax {optax.__version__}",
    })


if __name__ == "__main__":
    main()
