"""Writes simba_small.safetensors: updates of SAC with SimBa's networks by its authors' program, as docs/verify.md has them.

usage: simba.py FOLDER_OF_SIMBA COMMIT

FOLDER_OF_SIMBA is a copy of github.com/SonyResearch/simba at that commit; JAX, Flax, Optax and TensorFlow Probability from
anywhere. Networks, losses and AdamW are its own and run as they are, in the order of this library's SAC: entropy weight,
critics, policy. The head of its policy is replaced by one that clamps the logarithm of the deviation instead of bending it
(docs/deviations.md), and that begins with small ones: where tanh is flat, its slope is not the same number in both. Weights
begin with more noise than they would, so that no scale is 1 and no shift is 0, and decay fast enough to be seen.
"""
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from tensorflow_probability.substrates import jax as tfp

from recorder import keep, write

O, A, WIDTH, BLOCKS, POLICY_WIDTH, POLICY_BLOCKS, BATCH, STEPS = 3, 2, 16, 2, 8, 1, 8, 4
RATE, DECAY, DISCOUNT, TAU, TARGET = 1e-3, 0.5, 0.97, 0.01, -0.5
jax.tree_map = jax.tree_util.tree_map  # that name is gone from newer versions


class ClampedPolicy(nn.Module):
    action_dim: int
    dtype: object = jnp.float32

    @nn.compact
    def __call__(self, inputs, temperature=1.0):
        means = nn.Dense(self.action_dim)(inputs)
        log_stds = nn.Dense(self.action_dim, bias_init=nn.initializers.constant(-2))(inputs)
        deviations = jnp.exp(jnp.clip(log_stds, -20, 2)) * temperature
        normal = tfp.distributions.MultivariateNormalDiag(loc=means, scale_diag=deviations)
        return tfp.distributions.TransformedDistribution(normal, tfp.bijectors.Tanh())


def keep_dense(path, dense):
    keep(f"{path}/weight", np.asarray(dense["kernel"]).T)
    keep(f"{path}/bias", dense["bias"])


def keep_norm(path, norm):
    keep(f"{path}/weight", norm["scale"])
    keep(f"{path}/bias", norm["bias"])


def keep_network(path, params, heads):
    encoder = params["encoder"]
    keep_dense(f"{path}/embedding", encoder["Dense_0"])
    for k in range(sum(name.startswith("ResidualBlock") for name in encoder)):
        block = encoder[f"ResidualBlock_{k}"]
        keep_norm(f"{path}/block{k}/norm", block["LayerNorm_0"])
        keep_dense(f"{path}/block{k}/up", block["Dense_0"])
        keep_dense(f"{path}/block{k}/down", block["Dense_1"])
    keep_norm(f"{path}/norm", encoder["LayerNorm_0"])
    for i, head in enumerate(heads):
        keep_dense(f"{path}/{head}", params["predictor"][f"Dense_{i}"])


def keep_networks(folder, actor, critic, target):
    keep_network(f"{folder}/policy", actor.params, ["mean", "log_std"])
    for prefix, twins in {"": critic, "target_": target}.items():
        (both,) = twins.params.values()
        for k in range(2):
            one = jax.tree_util.tree_map(lambda values, k=k: values[k], both)
            keep_network(f"{folder}/{prefix}q{k + 1}", one, ["out"])


def shaken(trainer, draw):
    """Its weights with some noise on each."""
    return trainer.replace(params=jax.tree_util.tree_map(
        lambda values: values + jnp.asarray(0.2 * draw.standard_normal(values.shape), jnp.float32), trainer.params))


def noise_of(actor, observations, key):
    """What the policy draws with a key."""
    dist = actor(observations=observations)
    drawn = dist.distribution.sample(seed=key)
    assert jnp.array_equal(jnp.tanh(drawn), dist.sample(seed=key))
    return (drawn - dist.distribution.loc) / dist.distribution.stddev()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.path.insert(0, sys.argv[1])
    from scale_rl.agents.sac import sac_network, sac_update
    from scale_rl.networks.trainer import Trainer

    sac_network.NormalTanhPolicy = ClampedPolicy
    draw, keys = np.random.default_rng(1), iter(jax.random.split(jax.random.PRNGKey(1), 100))
    batches = [{"observation": draw.uniform(-1, 1, (BATCH, O)), "action": draw.uniform(-1, 1, (BATCH, A)),
                "reward": draw.uniform(-1, 1, BATCH), "next_observation": draw.uniform(-1, 1, (BATCH, O)),
                "terminated": draw.random(BATCH) < 0.2} for _ in range(STEPS)]
    batches = [{name: jnp.asarray(values, jnp.float32) for name, values in batch.items()} for batch in batches]
    some = {"observations": batches[0]["observation"]}
    pair = {**some, "actions": batches[0]["action"]}
    optimiser = optax.adamw(RATE, weight_decay=DECAY)
    actor = Trainer.create(sac_network.SACActor("residual", POLICY_BLOCKS, POLICY_WIDTH, A, jnp.float32),
                           {"rngs": next(keys), **some}, optimiser)
    twins = sac_network.SACClippedDoubleCritic("residual", BLOCKS, WIDTH, jnp.float32)
    critic = shaken(Trainer.create(twins, {"rngs": next(keys), **pair}, optimiser), draw)
    target = shaken(Trainer.create(twins, {"rngs": next(keys), **pair}), draw)
    actor = shaken(actor, draw)
    temperature = Trainer.create(sac_network.SACTemperature(0.3), {"rngs": next(keys)},
                                 optax.adamw(RATE, weight_decay=0.0))
    keep_networks("in/init", actor, critic, target)
    keep("in/init/log_alpha", np.log([temperature()]))
    for step, batch in enumerate(batches):
        for name, values in batch.items():
            plural = {"observation": "observations", "next_observation": "next_observations",
                      "terminated": "terminals"}
            keep(f"in/step{step}/" + plural.get(name, name + "s"), values)
        own, other = next(keys), next(keys)
        keep(f"in/step{step}/noise_policy", noise_of(actor, batch["observation"], own))
        keep(f"in/step{step}/noise_next", noise_of(actor, batch["next_observation"], other))
        dist = actor(observations=batch["observation"])
        entropy = -dist.log_prob(dist.sample(seed=own)).mean()
        temperature, _ = sac_update.update_temperature(temperature, entropy, TARGET * A)
        # the two losses, of which the program tells the sum
        dist = actor(observations=batch["next_observation"])
        action = dist.sample(seed=other)
        value = jnp.minimum(*target(observations=batch["next_observation"], actions=action)).reshape(-1)
        value = batch["reward"] + DISCOUNT * (1 - batch["terminated"]) * (
            value - temperature() * dist.log_prob(action))
        losses = [jnp.mean((q.reshape(-1) - value) ** 2)
                  for q in critic(observations=batch["observation"], actions=batch["action"])]
        critic, told = sac_update.update_critic(other, actor, critic, target, temperature, batch, DISCOUNT, 1, True)
        assert jnp.isclose(sum(losses), told["critic_loss"], rtol=1e-5)
        target, _ = sac_update.update_target_network(critic, target, TAU)
        actor, _ = sac_update.update_actor(own, actor, critic, temperature, batch, True)
        keep(f"expect/step{step}/alpha", [temperature()])
        for k, loss in enumerate(losses):
            keep(f"expect/step{step}/loss_q{k + 1}", [loss])
    keep_networks("expect/final", actor, critic, target)
    write("simba_small.safetensors", {
        "algorithm": "sac", "network": "simba", "observation_size": O, "action_size": A, "hidden_size": WIDTH,
        "blocks": BLOCKS, "policy_width": POLICY_WIDTH, "policy_blocks": POLICY_BLOCKS, "weight_decay": DECAY,
        "batch_size": BATCH, "steps": STEPS, "discount": DISCOUNT, "target_rate": TAU, "learning_rate": RATE,
        "entropy_target": TARGET,
        "source": f"github.com/SonyResearch/simba {sys.argv[2]}, JAX {jax.__version__}, Optax {optax.__version__}",
    })


if __name__ == "__main__":
    main()
