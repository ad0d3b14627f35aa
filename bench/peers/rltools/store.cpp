// A policy's network in RLtools, exported by it as code: weights from stdin, code to stdout.
// the order matters
#include <rl_tools/operations/cpu.h>
#include <rl_tools/nn/optimizers/adam/instance/operations_generic.h>
#include <rl_tools/nn/layers/dense/operations_generic.h>
#include <rl_tools/nn_models/sequential/operations_generic.h>
#include <rl_tools/numeric_types/persist_code.h>
#include <rl_tools/containers/tensor/persist_code.h>
#include <rl_tools/nn/parameters/persist_code.h>
#include <rl_tools/nn/optimizers/adam/instance/persist_code.h>
#include <rl_tools/nn/layers/dense/persist_code.h>
#include <rl_tools/nn_models/sequential/persist_code.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace rlt = RL_TOOLS_NAMESPACE_WRAPPER ::rl_tools;
using Device = rlt::devices::DefaultCPU;
using Index = Device::index_t;
using Numbers = rlt::numeric_types::Policy<float>;
using Function = rlt::nn::activation_functions::ActivationFunction;
namespace groups = rlt::nn::parameters::groups;

template <Index SIZE, Function FUNCTION, typename GROUP>
using Layer = rlt::nn::layers::dense::BindConfiguration<rlt::nn::layers::dense::Configuration<
    Numbers, Index, SIZE, FUNCTION, rlt::nn::layers::dense::DefaultInitializer<Numbers, Index>,
    GROUP>>;
template <typename CONTENT, typename NEXT = rlt::nn_models::sequential::OutputModule>
using Module = rlt::nn_models::sequential::Module<CONTENT, NEXT>;
using Chain = Module<Layer<WIDTH, Function::RELU, groups::Input>,
                     Module<Layer<WIDTH, Function::RELU, groups::Normal>,
                            Module<Layer<ACTIONS, Function::TANH, groups::Output>>>>;
using Model = rlt::nn_models::sequential::Build<rlt::nn::capability::Forward<>, Chain,
                                                rlt::tensor::Shape<Index, 1, 1, OBSERVATIONS>>;

static float next()
{
    float number;
    if (fread(&number, sizeof number, 1, stdin) != 1)
        abort();
    return number;
}

template <typename LAYER> void fill(Device &device, LAYER &layer, Index inputs, Index outputs)
{
    for (Index o = 0; o < outputs; o++)
        for (Index i = 0; i < inputs; i++)
            rlt::set(device, layer.weights.parameters, next(), o, i);
    for (Index o = 0; o < outputs; o++)
        rlt::set(device, layer.biases.parameters, next(), o);
}

int main()
{
    Device device;
    Model model;
    rlt::malloc(device, model);
    fill(device, model.content, OBSERVATIONS, WIDTH);
    fill(device, model.next_module.content, WIDTH, WIDTH);
    fill(device, model.next_module.next_module.content, WIDTH, ACTIONS);
    std::cout << rlt::save_code(device, model, "policy");
}
