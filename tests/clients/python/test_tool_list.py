"""What a client is shown once it is connected."""

from jsonschema import Draft202012Validator

THREE = ["find_skills", "get_skill", "get_skill_file"]
PROTOCOLS = {"legacy": "2025-11-25", "auto": "2026-07-28", "2026-07-28": "2026-07-28"}


def test_each_mode_speaks_the_newest_protocol_that_it_can(agent, mode):
    assert agent.protocol == PROTOCOLS[mode]


def test_a_workspace_has_exactly_three_tools_in_order(agent):
    assert agent.tool_names() == THREE


def test_the_organization_has_these_and_whoami(owner):
    assert owner.tool_names() == [*THREE, "whoami"]


def test_every_tool_has_schemas_of_what_it_takes_and_gives(owner):
    for tool in owner.tools():
        for schema in (tool.input_schema, tool.output_schema):
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object", tool.name
        assert tool.input_schema["additionalProperties"] is False, tool.name


def test_every_tool_says_what_it_is_for_and_that_it_only_reads(owner):
    for tool in owner.tools():
        assert tool.title and tool.description, tool.name
        assert tool.annotations.read_only_hint and not tool.annotations.destructive_hint, tool.name


def test_every_argument_is_described(owner):
    for tool in owner.tools():
        for name, schema in tool.input_schema.get("properties", {}).items():
            assert schema.get("description"), f"{tool.name}: {name}"


def test_what_a_tool_needs_is_what_its_reference_names(agent):
    required = {tool.name: tool.input_schema["required"] for tool in agent.tools()}
    assert required == {"find_skills": ["query"], "get_skill": ["id"], "get_skill_file": ["id", "path"]}
