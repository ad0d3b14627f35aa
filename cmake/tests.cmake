# Every tests/ROOM/test_*.c is one cmocka program; every tests/fuzz/fuzz_*.c a fuzzer, whose corpus is
# replayed as a test in ordinary builds.

# Under a sanitizer some tests are left out: what is arithmetic alone, looks at the disk, or learns; the one
# for threads has those that start some. What takes them long is not in the sample that CI takes.
set(here ".*")
if(WAC_SANITIZE STREQUAL "thread")
    set(here "threads|ops|bench|gpu|seats|crash|demo|plugins|lockstep|residual|resume|run|worlds|posteriors|events|sweep|sweep_lockstep|tune|pack|server|body")
    set(long "ops|seats|resume|residual|sweep|tune|pack")
elseif(WAC_SANITIZE)
    set(never "power|rates|gradients_losses|estimates|memory|learn.*|page")
    set(long "failing_.*|faults|ops|verify|export|seats|ranks|residual|sweep_lockstep|injection")
endif()

file(GLOB fuzzers CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
if(WAC_FUZZ) # after each input a fuzzer looks at all counters that are linked: only what it needs
    add_library(wac_fuzzed STATIC $<TARGET_OBJECTS:wac_objects>)
    target_include_directories(wac_fuzzed PUBLIC include src)
    target_link_libraries(wac_fuzzed PUBLIC $<TARGET_PROPERTY:wac_objects,INTERFACE_LINK_LIBRARIES>)
endif()
foreach(source IN LISTS fuzzers)
    cmake_path(GET source STEM name)
    string(REPLACE "fuzz_" "" corpus ${name})
    add_executable(${name} ${source})
    set_target_properties(${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_compile_options(${name} PRIVATE -Wno-missing-prototypes)
    target_include_directories(${name} PRIVATE tests)
    target_link_libraries(${name} PRIVATE $<IF:$<BOOL:${WAC_FUZZ}>,wac_fuzzed,wac_objects>)
    if(name STREQUAL fuzz_words) # the command line is the program's
        target_sources(${name} PRIVATE cli/options.c cli/terminal/terminal.c)
        target_include_directories(${name} PRIVATE cli)
    endif()
    if(WAC_FUZZ)
        target_sources(${name} PRIVATE tests/fuzz/sanitizers.c)
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    else()
        target_sources(${name} PRIVATE tests/fuzz/replay.c)
        add_test(NAME ${name} COMMAND ${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${corpus})
        list(APPEND unit_tests ${name})
    endif()
endforeach()
if(WAC_FUZZ)
    return()
endif()

# the networks and updates once more in double, for gradients against finite differences
file(GLOB double_sources CONFIGURE_DEPENDS
    src/base/*.c src/config/*.c src/nn/*.c src/rl/*.c src/rl/host/*.c src/rl/table/*.c)
if(WAC_COVERAGE)
    list(APPEND double_sources tests/support/coverage.c)
endif()
add_library(wac_objects_double OBJECT EXCLUDE_FROM_ALL ${double_sources})
target_compile_definitions(wac_objects_double PUBLIC WAC_DOUBLE=1)
target_compile_options(wac_objects_double PRIVATE ${counted})
target_link_options(wac_objects_double PUBLIC $<TARGET_PROPERTY:wac_objects,INTERFACE_LINK_OPTIONS>)
target_include_directories(wac_objects_double PUBLIC include src)
target_link_libraries(wac_objects_double PUBLIC
    PkgConfig::YAML PkgConfig::JANSSON PkgConfig::LZMA Threads::Threads m)

# what tests start as the program: itself, or a script that emulates it
set(program $<TARGET_FILE:wac>)
if(CMAKE_CROSSCOMPILING_EMULATOR)
    list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
    set(program ${PROJECT_BINARY_DIR}/wac-emulated)
    file(GENERATE OUTPUT ${program} CONTENT "#!/bin/sh\nexec ${emulator} $<TARGET_FILE:wac> \"$@\"\n"
        FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endif()

# a GPU for machines without one
add_library(fake_gpu MODULE tests/support/fake_gpu.c)
target_include_directories(fake_gpu PRIVATE include src)
set_target_properties(fake_gpu PROPERTIES PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)

# and one that computes; its kernels are written for compilers of C, too
add_library(emulated_gpu MODULE tests/support/emulated_gpu.c)
target_include_directories(emulated_gpu PRIVATE include src)
target_compile_options(emulated_gpu PRIVATE -Wno-missing-prototypes)
target_link_libraries(emulated_gpu PRIVATE m)
set_target_properties(emulated_gpu PROPERTIES PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)

# MPI for machines without it
add_library(fake_mpi MODULE tests/support/fake_mpi.c)
target_include_directories(fake_mpi PRIVATE include src)
set_target_properties(fake_mpi PROPERTIES PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)

# calls that fail to order, for programs as they are
add_library(failing_calls MODULE tests/support/failing_calls.c)
target_include_directories(failing_calls PRIVATE tests)
target_compile_options(failing_calls PRIVATE -fno-sanitize=all)
target_link_libraries(failing_calls PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(failing_calls PROPERTIES PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)

# plug-ins with one fault each, and one without
foreach(fault good stateless version settings symbol table function half unsaved refuses silent crashes
        aborts sizes bounds numbers pays posing draws)
    add_library(plugin_${fault} MODULE tests/support/plugin.c)
    target_include_directories(plugin_${fault} PRIVATE include)
    target_compile_definitions(plugin_${fault} PRIVATE FAULT=${fault})
    if(fault MATCHES "^(version|settings|table)$")
        target_compile_definitions(plugin_${fault} PRIVATE OTHER_EXPORT=wac_environment_plugin_table)
    elseif(fault STREQUAL symbol)
        target_compile_definitions(plugin_${fault} PRIVATE OTHER_EXPORT=something_else)
    endif()
    set_target_properties(plugin_${fault} PROPERTIES PREFIX "" OUTPUT_NAME ${fault} SUFFIX .so
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/plugins)
    list(APPEND plugins plugin_${fault})
endforeach()

pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
file(GLOB tests CONFIGURE_DEPENDS tests/*/test_*.c)
foreach(source IN LISTS tests)
    cmake_path(GET source STEM name)
    if(NOT name MATCHES "^test_(${here})$" OR name MATCHES "^test_(${never})$")
        continue()
    endif()
    add_executable(${name} ${source})
    add_dependencies(${name} wac fake_gpu emulated_gpu fake_mpi failing_calls ${plugins})
    set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_include_directories(${name} PRIVATE tests)
    target_compile_definitions(${name} PRIVATE
        WAC_SOURCE_DIR="${PROJECT_SOURCE_DIR}" WAC_PROGRAM="${program}"
        WAC_FAKE_GPU="$<TARGET_FILE:fake_gpu>"
        WAC_EMULATED_GPU="$<TARGET_FILE:emulated_gpu>" WAC_FAILING_CALLS="$<TARGET_FILE:failing_calls>"
        WAC_FAKE_MPI="$<TARGET_FILE:fake_mpi>" WAC_PLUGINS="${PROJECT_BINARY_DIR}/tests/plugins"
        WAC_MUJOCO=$<BOOL:${WAC_MUJOCO}>)
    if(name MATCHES "^test_gradients")
        target_link_libraries(${name} PRIVATE wac_objects_double PkgConfig::CMOCKA)
    else()
        target_link_libraries(${name} PRIVATE wac_objects PkgConfig::CMOCKA)
    endif()

    if(name MATCHES "^test_failing")
        target_link_options(${name} PRIVATE -Wl,--wrap=wac_path_join)
    endif()

    # learning takes long: it runs only when asked for, with ctest -C learning -L learning
    if(name MATCHES "^test_learning")
        add_test(NAME ${name} COMMAND ${name} CONFIGURATIONS learning)
        set_tests_properties(${name} PROPERTIES LABELS learning TIMEOUT 14400)
    # so does a browser: ctest -C watch -L watch
    elseif(name STREQUAL test_page)
        add_test(NAME ${name} COMMAND ${name} CONFIGURATIONS watch)
        set_tests_properties(${name} PROPERTIES LABELS watch TIMEOUT 600)
    else()
        add_test(NAME ${name} COMMAND ${name})
        list(APPEND unit_tests ${name})
    endif()
endforeach()

# every call of the program fails in turn, the power is cut in every way: that takes long, and runs
# only when asked for, in shares
set(shares 8)
math(EXPR last "${shares} - 1")
foreach(kind faults power)
    if(NOT TARGET test_${kind})
        continue()
    endif()
    foreach(share RANGE ${last})
        add_test(NAME ${kind}_${share} COMMAND test_${kind} whole ${share} ${shares}
            CONFIGURATIONS ${kind})
        set_tests_properties(${kind}_${share} PROPERTIES LABELS ${kind} TIMEOUT 86400)
    endforeach()
endforeach()

# which rooms of the sources may include which
add_test(NAME rooms COMMAND ${PROJECT_SOURCE_DIR}/tests/check-rooms ${PROJECT_SOURCE_DIR})

# what somebody without root is told to install
add_test(NAME packages COMMAND ${PROJECT_SOURCE_DIR}/tests/check-packages)

# what was published, judged again
add_test(NAME results COMMAND ${PROJECT_SOURCE_DIR}/tests/check-results ${program}
    ${PROJECT_SOURCE_DIR})
set_tests_properties(results PROPERTIES SKIP_RETURN_CODE 77)
if(WAC_SANITIZE) # hundreds of runs
    set_tests_properties(results PROPERTIES DISABLED ON)
endif()

# exported policies before the checker and the runtime of ONNX
add_test(NAME onnx COMMAND ${PROJECT_SOURCE_DIR}/tests/export/check-onnx ${PROJECT_BINARY_DIR}/tests/test_export
    ${PROJECT_BINARY_DIR}/tests/onnx)
set_tests_properties(onnx PROPERTIES SKIP_RETURN_CODE 77)

# events before TensorBoard's own reader
add_test(NAME tensorboard COMMAND ${PROJECT_SOURCE_DIR}/tests/run/check-tensorboard ${program}
    ${PROJECT_BINARY_DIR}/tests/tensorboard)
set_tests_properties(tensorboard PROPERTIES SKIP_RETURN_CODE 77)

# exported policies at work, here and on a microcontroller
set(body riverswim)
if(WAC_MUJOCO)
    set(body halfcheetah)
endif()
add_test(NAME example_control_loop COMMAND ${PROJECT_SOURCE_DIR}/tests/export/check-examples ${program}
    ${PROJECT_SOURCE_DIR} control_loop lqg)
add_test(NAME example_microcontroller COMMAND ${PROJECT_SOURCE_DIR}/tests/export/check-examples
    ${program} ${PROJECT_SOURCE_DIR} microcontroller ${body})
set_tests_properties(example_microcontroller PROPERTIES SKIP_RETURN_CODE 77)
list(APPEND unit_tests example_control_loop example_microcontroller)
if(CMAKE_CROSSCOMPILING OR WAC_SANITIZE)
    set_tests_properties(onnx tensorboard example_control_loop example_microcontroller PROPERTIES DISABLED ON)
endif()

# what was built is hardened, and the same wherever that was
add_test(NAME built COMMAND ${PROJECT_SOURCE_DIR}/tests/check-built ${PROJECT_BINARY_DIR}
    ${PROJECT_SOURCE_DIR})
set_tests_properties(built PROPERTIES SKIP_RETURN_CODE 77)
if(NOT CMAKE_BUILD_TYPE STREQUAL Release)
    set_tests_properties(built PROPERTIES DISABLED ON)
endif()

# a plug-in built by its own Makefile against an installation
add_test(NAME installed COMMAND ${PROJECT_SOURCE_DIR}/tests/check-installed ${PROJECT_BINARY_DIR}
    ${CMAKE_C_COMPILER})
set_tests_properties(installed PROPERTIES SKIP_RETURN_CODE 77)

# a folder for machines where nothing can be installed
add_test(NAME bundle COMMAND ${PROJECT_SOURCE_DIR}/tests/check-bundle ${PROJECT_SOURCE_DIR}
    ${PROJECT_BINARY_DIR})
set_tests_properties(bundle PROPERTIES SKIP_RETURN_CODE 77)
if(CMAKE_CROSSCOMPILING OR WAC_SANITIZE)
    set_tests_properties(installed bundle PROPERTIES DISABLED ON)
endif()

# the Python package, where it was built
if(TARGET wac_python AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    add_test(NAME python COMMAND ${PROJECT_SOURCE_DIR}/tests/check-python ${PROJECT_BINARY_DIR}
        ${PROJECT_SOURCE_DIR} ${Python_EXECUTABLE})
    set_tests_properties(python PROPERTIES SKIP_RETURN_CODE 77)
    list(APPEND unit_tests python)
endif()

# recordings that come with the sources, by the program as a user would
set(recorded ${PROJECT_SOURCE_DIR}/tests/recorded)
file(GLOB updates CONFIGURE_DEPENDS ${recorded}/*.safetensors)
add_test(NAME verify_update COMMAND wac verify update ${updates} --threads 2)
add_test(NAME verify_update_alone COMMAND wac verify update ${updates})
add_test(NAME verify_reference COMMAND wac verify update ${updates} --backend reference)
add_test(NAME verify_general COMMAND wac verify update ${updates} --device cuda)
set_tests_properties(verify_general PROPERTIES ENVIRONMENT
    "WAC_CUDA_GENERAL=1;WAC_CUDA_PLUGIN=$<TARGET_FILE:emulated_gpu>")
add_test(NAME verify_lqg COMMAND wac verify env lqg ${recorded}/lqg.csv)
add_test(NAME verify_riverswim COMMAND wac verify env riverswim ${recorded}/riverswim.csv
    ${recorded}/riverswim_prob.csv)
add_test(NAME verify_mountaincar COMMAND wac verify env mountaincar ${recorded}/mountaincar.csv)

# those of MuJoCo's worlds hold for the version that they were made with
set(engine)
if(WAC_MUJOCO)
    file(STRINGS ${WAC_MUJOCO_INCLUDE}/mujoco/mujoco.h engine REGEX "define mjVERSION_HEADER +222$")
endif()
if(engine)
    foreach(world point-1 point-2 point-3 point-4 halfcheetah hopper walker2d)
        string(REPLACE "-" "" stem ${world})
        file(GLOB files CONFIGURE_DEPENDS ${recorded}/${stem}_*.csv)
        add_test(NAME worlds_${world} COMMAND wac verify env ${world} ${files})
        list(APPEND unit_tests worlds_${world})
    endforeach()
endif()

set_tests_properties(${unit_tests} rooms packages results built onnx tensorboard installed bundle verify_update verify_update_alone
    verify_reference verify_general verify_lqg verify_riverswim verify_mountaincar PROPERTIES LABELS unit TIMEOUT 900)
foreach(name IN LISTS unit_tests)
    if(name MATCHES "^test_(${long})$")
        set_property(TEST ${name} APPEND PROPERTY LABELS long)
    endif()
endforeach()

# the long ones first, so that no processor waits for the last of them
foreach(name IN LISTS unit_tests ITEMS onnx results)
    if(name MATCHES "learns|faults|power|failing|losses|ops|verify|export|seats|gpu|report|reproduce|lockstep|ranks|residual|onnx|results")
        set_property(TEST ${name} PROPERTY COST 1)
    endif()
endforeach()
