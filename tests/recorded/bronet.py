"""Writes bronet_small.safetensors: updates of SAC with BRO's networks by its authors' program, as docs/verify.md has them.

usage: bronet.py FOLDER_OF_BRO COMMIT

FOLDER_OF_BRO is a copy of github.com/naumix/BiggerRegularizedOptimistic at that commit; JAX, Flax, Optax, TensorFlow
Probability and Gymnasium from anywhere. Networks, losses and AdamW are its own and run as they are, in the order of this library's SAC;
with a pessimism of 1 its belief of two critics is the smaller one. Its policy gets a head that clamps, as in simba.py, and
weights the same noise.
"""
import sys

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn

from recorder import keep, write
from simba import ClampedPolicy, keep_dense, keep_norm, noise_of, shaken

O, A, WIDTH, BLOCKS, POLICY_WIDTH, POLICY_BLOCKS, BATCH, STEPS = 3, 2, 16, 2, 8, 1, 8, 4
RATE, DECAY, DISCOUNT, TAU, TARGET, PESSIMISM = 1e-3, 0.5, 0.97, 0.01, -0.5, 1


def keep_network(path, params, blocks, heads):
    (net,) = [params[name] for name in params if name.startswith("BroNet")]
    keep_dense(f"{path}/embedding", net["Dense_0"])
    keep_norm(f"{path}/norm", net["LayerNorm_0"])
    for k in range(blocks):
        keep_dense(f"{path}/block{k}/up", net[f"Dense_{2 * k + 1}"])
        keep_norm(f"{path}/block{k}/norm", net[f"LayerNorm_{2 * k + 1}"])
        keep_dense(f"{path}/block{k}/down", net[f"Dense_{2 * k + 2}"])
        keep_norm(f"{path}/block{k}/norm_down", net[f"LayerNorm_{2 * k + 2}"])
    for i, head in enumerate(heads):
        keep_dense(f"{path}/{head}", net[f"Dense_{2 * blocks + 1}"] if head == "out" else params["head"][f"Dense_{i}"])


def keep_networks(folder, actor, critic, target):
    keep_network(f"{folder}/policy", actor.params, POLICY_BLOCKS, ["mean", "log_std"])
    for prefix, twins in {"": critic, "target_": target}.items():
        for k in range(2):
            keep_network(f"{folder}/{prefix}q{k + 1}", twins.params[f"Critic_{k}"], BLOCKS, ["out"])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.path.insert(0, sys.argv[1])
    sys.modules["gym"] = gymnasium  # of which the program's replay, not used here, wants the older one
    from jaxrl.bro import actor as bro_actor
    from jaxrl.bro import critic as bro_critic
    from jaxrl.bro import temperature as bro_temperature
    from jaxrl.networks.common import BroNet, Model
    from jaxrl.networks.critic_net import DoubleCritic
    from jaxrl.replay_buffer import Batch

    class Policy(nn.Module):
        @nn.compact
        def __call__(self, observations, temperature=1.0, return_params=False):
            seen = BroNet(hidden_dims=POLICY_WIDTH, depth=POLICY_BLOCKS)(observations)
            dist = ClampedPolicy(A, name="head")(seen, temperature)
            return (dist, dist.distribution.loc, dist.distribution.stddev()) if return_params else dist

    draw, keys = np.random.default_rng(1), iter(jax.random.split(jax.random.PRNGKey(1), 100))
    batches = [{"observations": draw.uniform(-1, 1, (BATCH, O)), "actions": draw.uniform(-1, 1, (BATCH, A)),
                "rewards": draw.uniform(-1, 1, BATCH), "next_observations": draw.uniform(-1, 1, (BATCH, O)),
                "terminals": draw.random(BATCH) < 0.2} for _ in range(STEPS)]
    batches = [{name: jnp.asarray(values, jnp.float32) for name, values in batch.items()} for batch in batches]
    seen, done = batches[0]["observations"], batches[0]["actions"]
    optimiser = optax.adamw(RATE, weight_decay=DECAY)
    actor = shaken(Model.create(Policy(), inputs=[next(keys), seen], tx=optimiser), draw)
    twins = DoubleCritic(WIDTH, BLOCKS, use_bronet=True)
    critic = shaken(Model.create(twins, inputs=[next(keys), seen, done], tx=optimiser), draw)
    target = shaken(Model.create(twins, inputs=[next(keys), seen, done]), draw)
    temperature = Model.create(bro_temperature.Temperature(0.3), inputs=[next(keys)], tx=optax.adam(RATE))
    keep_networks("in/init", actor, critic, target)
    keep("in/init/log_alpha", np.log([temperature()]))
    for step, values in enumerate(batches):
        for name, array in values.items():
            keep(f"in/step{step}/{name}", array)
        batch = Batch(values["observations"], values["actions"], values["rewards"], 1 - values["terminals"],
                      values["terminals"], values["next_observations"])
        own, other = next(keys), next(keys)
        keep(f"in/step{step}/noise_policy", noise_of(actor, batch.observations, own))
        keep(f"in/step{step}/noise_next", noise_of(actor, batch.next_observations, other))
        dist = actor(batch.observations)
        entropy = -dist.log_prob(dist.sample(seed=own)).mean()
        temperature, _ = bro_temperature.update_temperature(temperature, entropy, TARGET * A)
        # the two losses, of which the program tells the sum
        dist = actor(batch.next_observations)
        action = dist.sample(seed=other)
        value = jnp.minimum(*target(batch.next_observations, action))
        value = batch.rewards + DISCOUNT * batch.masks * (value - temperature() * dist.log_prob(action))
        losses = [jnp.mean((q - value) ** 2) for q in critic(batch.observations, batch.actions)]
        critic, told = bro_critic.update(other, actor, critic, target, temperature, batch, DISCOUNT, PESSIMISM)
        assert jnp.isclose(sum(losses), told["critic_loss"], rtol=1e-5)
        target = bro_critic.target_update(critic, target, TAU)
        actor, _ = bro_actor.update(own, actor, critic, temperature, batch, PESSIMISM, False)
        keep(f"expect/step{step}/alpha", [temperature()])
        for k, loss in enumerate(losses):
            keep(f"expect/step{step}/loss_q{k + 1}", [loss])
    keep_networks("expect/final", actor, critic, target)
    write("bronet_small.safetensors", {
        "algorithm": "sac", "network": "bronet", "observation_size": O, "action_size": A, "hidden_size": WIDTH,
        "blocks": BLOCKS, "policy_width": POLICY_WIDTH, "policy_blocks": POLICY_BLOCKS, "weight_decay": DECAY,
        "batch_size": BATCH, "steps": STEPS, "discount": DISCOUNT, "target_rate": TAU, "learning_rate": RATE,
        "entropy_target": TARGET,
        "source": f"github.com/naumix/BiggerRegularizedOptimistic {sys.argv[2]}, JAX {jax.__version__}, "
                  f"Optax {optax.__version__}",
    })


if __name__ == "__main__":
    main()
