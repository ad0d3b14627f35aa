# The Python package wac: an extension on the limited API, so that one serves every Python from 3.11 on,
# beside the modules of python/wac. In a build folder it is build/python, for PYTHONPATH; scikit-build-core
# (pyproject.toml) makes a wheel of the install component `python`, with all libraries but MuJoCo inside.
if(WAC_PYTHON STREQUAL "OFF" OR WAC_SANITIZE OR CMAKE_CROSSCOMPILING)
    return()
endif()
find_package(Python 3.11 COMPONENTS Interpreter Development.Module)
if(NOT Python_Development.Module_FOUND)
    if(WAC_PYTHON STREQUAL "ON")
        message(FATAL_ERROR "No headers of Python 3.11 or later: install python3-dev.")
    endif()
    message(STATUS "No headers of Python 3.11 or later (python3-dev): there will be no Python package.")
    return()
endif()

file(GLOB extension_sources CONFIGURE_DEPENDS python/extension/*.c)
add_library(wac_python MODULE ${extension_sources})
target_compile_definitions(wac_python PRIVATE Py_LIMITED_API=0x030B0000)
target_include_directories(wac_python SYSTEM PRIVATE ${Python_INCLUDE_DIRS})
target_link_libraries(wac_python PRIVATE wac_program wac_objects)
set_target_properties(wac_python PROPERTIES PREFIX "" OUTPUT_NAME _wac SUFFIX .abi3.so
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/wac
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN;${blas_directory}")
file(GLOB modules CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/python/wac
    python/wac/*.py python/wac/*.pyi python/wac/py.typed)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python/wac)
foreach(module IN LISTS modules)
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/wac/${module}
        ${PROJECT_BINARY_DIR}/python/wac/${module} SYMBOLIC)
endforeach()

if(SKBUILD)
    install(TARGETS wac_python DESTINATION wac COMPONENT python)
    install(DIRECTORY models DESTINATION wac/share/wac COMPONENT python FILES_MATCHING
        PATTERN "*.xml" PATTERN "*.yaml")
    install(DIRECTORY experiments DESTINATION wac/share/wac COMPONENT python FILES_MATCHING
        PATTERN "*.yaml")
    # the libraries under the names by which they are asked for
    foreach(library ${WAC_BLAS_LIBRARY} ${YAML_LINK_LIBRARIES} ${JANSSON_LINK_LIBRARIES}
            ${LZMA_LINK_LIBRARIES})
        execute_process(COMMAND objdump -p ${library} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
        string(REGEX MATCH "SONAME +([^\n]+)" match "${text}")
        file(REAL_PATH ${library} real)
        install(FILES ${real} DESTINATION wac RENAME ${CMAKE_MATCH_1} COMPONENT python)
    endforeach()
endif()
