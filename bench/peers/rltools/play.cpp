// What RLtools exported, played by its layers for microcontrollers (devices::arm::OPT).
// the order matters
#include <rl_tools/operations/arm.h>
#include "exported.h"
#include <rl_tools/nn/layers/dense/operations_arm/opt.h>
#include <rl_tools/nn_models/sequential/operations_generic.h>

namespace rlt = RL_TOOLS_NAMESPACE_WRAPPER ::rl_tools;
using Device = rlt::devices::DefaultARM;
using Index = Device::index_t;

template <typename SHAPE>
using Row = rlt::Tensor<rlt::tensor::Specification<float, Index, SHAPE, false>>;
static Row<policy::TYPE::INPUT_SHAPE> input;
static Row<policy::TYPE::OUTPUT_SHAPE> output;
static policy::TYPE::Buffer<false> buffer;

extern "C" void rltools_act(const float *seen, float *action)
{
    Device device;
    bool rng = false;
    for (Index i = 0; i < OBSERVATIONS; i++)
        rlt::set(device, input, seen[i], 0, 0, i);
    rlt::evaluate(device, policy::module, input, output, buffer, rng);
    for (Index i = 0; i < ACTIONS; i++)
        action[i] = rlt::get(device, output, 0, 0, i);
}
