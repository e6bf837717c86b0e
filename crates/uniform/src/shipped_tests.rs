//! The definitions that are shipped, held to what is known of the four servers: names, types, what must be given, defaults, an example.

use serde_json::Value;

use super::definition::Parameter;
use super::{Call, Definitions, Lang, read_calls};

/// Server, tool, its arguments (`!` must be given, `=` has a default), and arguments as an example has them.
const TOOLS: &[(&str, &str, &str, &str)] = &[
    (
        "microsandbox",
        "microsandbox_execute",
        "code!:string session_id:string timeout:integer",
        r#"{"code": "print('Hello World'); result = 2 + 3; print(result)", "timeout": 30}"#,
    ),
    (
        "microsandbox",
        "microsandbox_install_package",
        "package_name!:string version:string session_id:string",
        r#"{"package_name": "numpy", "version": "1.21.0"}"#,
    ),
    ("microsandbox", "microsandbox_list_sessions", "", "{}"),
    ("microsandbox", "microsandbox_close_session", "session_id!:string", r#"{"session_id": "my-session"}"#),
    ("microsandbox", "microsandbox_cleanup_expired", "max_age:integer", r#"{"max_age": 3600}"#),
    ("microsandbox", "microsandbox_get_performance_stats", "", "{}"),
    ("microsandbox", "microsandbox_get_health_status", "", "{}"),
    (
        "browser_use",
        "browser_use_execute_task",
        "task!:string max_steps:integer=50 use_vision:boolean=true",
        r#"{"task": "搜索Python教程并打开第一个结果"}"#,
    ),
    ("browser_use", "browser_navigate", "url!:string", r#"{"url": "https://www.google.com"}"#),
    ("browser_use", "browser_search_google", "query!:string", r#"{"query": "Python machine learning tutorial"}"#),
    ("browser_use", "browser_go_back", "", "{}"),
    ("browser_use", "browser_click_element", "index!:integer", r#"{"index": 1}"#),
    ("browser_use", "browser_input_text", "index!:integer text!:string", r#"{"index": 2, "text": "hello world"}"#),
    ("browser_use", "browser_send_keys", "keys!:string", r#"{"keys": "Enter"}"#),
    ("browser_use", "browser_scroll_down", "amount:integer", r#"{"amount": 500}"#),
    ("browser_use", "browser_scroll_up", "amount:integer", r#"{"amount": 300}"#),
    ("browser_use", "browser_scroll_to_text", "text!:string", r#"{"text": "Sign up"}"#),
    ("browser_use", "browser_switch_tab", "page_id!:integer", r#"{"page_id": 0}"#),
    ("browser_use", "browser_open_tab", "url!:string", r#"{"url": "https://www.example.com"}"#),
    ("browser_use", "browser_close_tab", "page_id!:integer", r#"{"page_id": 1}"#),
    (
        "browser_use",
        "browser_extract_content",
        "goal!:string include_links:boolean=false",
        r#"{"goal": "提取所有公司名称"}"#,
    ),
    ("browser_use", "browser_get_ax_tree", "number_of_elements!:integer", r#"{"number_of_elements": 50}"#),
    ("browser_use", "browser_get_dropdown_options", "index!:integer", r#"{"index": 3}"#),
    (
        "browser_use",
        "browser_select_dropdown_option",
        "index!:integer text!:string",
        r#"{"index": 3, "text": "Option 1"}"#,
    ),
    (
        "browser_use",
        "browser_drag_drop",
        "element_source:string element_target:string coord_source_x:integer coord_source_y:integer coord_target_x:integer coord_target_y:integer steps:integer=10",
        r#"{"element_source": ".item1", "element_target": ".dropzone"}"#,
    ),
    ("browser_use", "browser_save_pdf", "", "{}"),
    ("browser_use", "browser_screenshot", "filename:string", r#"{"filename": "current_page.png"}"#),
    ("browser_use", "browser_wait", "seconds:number=3", r#"{"seconds": 5}"#),
    ("browser_use", "browser_done", "text!:string success!:boolean", r#"{"text": "任务已完成", "success": true}"#),
    ("browser_use", "browser_get_page_info", "", "{}"),
    ("browser_use", "browser_get_current_url", "", "{}"),
    ("browser_use", "browser_close_session", "", "{}"),
    ("browser_use", "browser_get_content", "selector:string", r#"{"selector": "body"}"#),
    (
        "deepsearch",
        "research",
        "question!:string initial_queries:array max_loops:integer reasoning_model:string",
        r#"{"question": "Python asyncio最佳实践", "max_loops": 3}"#,
    ),
    ("deepsearch", "quick_research", "question!:string", r#"{"question": "机器学习基础概念"}"#),
    (
        "deepsearch",
        "comprehensive_research",
        "question!:string topic_focus:string",
        r#"{"question": "区块链技术发展趋势", "topic_focus": "2024年最新进展"}"#,
    ),
    (
        "mcp-search-tool",
        "search_file_content",
        "file_path!:string regex_pattern!:string",
        r#"{"file_path": "src/main.py", "regex_pattern": "def.*"}"#,
    ),
    (
        "mcp-search-tool",
        "list_code_definitions",
        "file_path:string directory_path:string",
        r#"{"directory_path": "src/"}"#,
    ),
    (
        "mcp-search-tool",
        "analyze_tool_needs",
        "task_description!:string",
        r#"{"task_description": "创建数据可视化图表"}"#,
    ),
    (
        "mcp-search-tool",
        "search_and_install_tools",
        "task_description!:string reason:string",
        r#"{"task_description": "需要处理PDF文件", "reason": "当前工具不支持PDF操作"}"#,
    ),
];

fn written(parameter: &Parameter) -> String {
    let required = if parameter.required { "!" } else { "" };
    let kinds: Vec<&str> = parameter.kinds.iter().map(|kind| kind.name()).collect();
    let default = parameter.default.as_ref().map(|value| format!("={value}")).unwrap_or_default();
    format!("{}{required}:{}{default}", parameter.name, kinds.join("|"))
}

#[test]
fn each_of_the_40_tools_is_defined_as_it_is_known() {
    let shipped = Definitions::shipped();
    assert_eq!(shipped.servers(), ["microsandbox", "browser_use", "deepsearch", "mcp-search-tool"]);
    let counts: Vec<usize> = shipped.servers().iter().map(|server| shipped.of(server).count()).collect();
    assert_eq!(counts, [7, 26, 3, 4]);
    for (server, tool, arguments, _) in TOOLS {
        let found = shipped.find(server, tool).unwrap_or_else(|| panic!("{tool} of {server}"));
        let listed: Vec<String> = found.parameters().iter().map(written).collect();
        assert_eq!(listed.join(" "), *arguments, "{tool}");
        assert!(found.description.ends_with('.'), "{tool}");
        assert!(found.parameters().iter().all(|parameter| parameter.description.ends_with('.')), "{tool}");
    }
    assert_eq!(TOOLS.len(), 40);
}

#[test]
fn each_example_is_taken_in_all_three_forms_and_only_defaults_are_added() {
    let shipped = Definitions::shipped();
    for (server, tool, arguments, example) in TOOLS {
        let definition = shipped.find(server, tool).expect("defined");
        let given: Value = serde_json::from_str(example).expect("JSON");
        let checked = definition.check(given.clone()).unwrap_or_else(|complaint| panic!("{complaint}"));
        let added = arguments.split(' ').filter_map(|one| Some(one.split_once('=')?.0.split_once(':')?.0));
        let added: Vec<&str> = added.filter(|name| given.get(name).is_none()).collect();
        for (name, value) in &checked {
            assert!(given.get(name) == Some(value) || added.contains(&name.as_str()), "{tool}: {name}");
        }
        assert_eq!(checked.len(), given.as_object().expect("a map").len() + added.len(), "{tool}");
        assert_eq!(definition.check(*example).as_ref(), Ok(&checked), "{tool}");
        let text = format!("<{server}>\n<{tool}>\n{example}\n</{tool}>\n</{server}>");
        let calls = read_calls(&text, &|name| shipped.names(name)).expect("a call").calls;
        assert_eq!(calls.len(), 1);
        assert_eq!(shipped.check(&calls[0]), Ok(checked), "{tool}");
    }
}

#[test]
fn the_message_is_the_one_that_is_known() {
    let definition = Definitions::shipped().find("browser_use", "browser_use_execute_task").expect("defined");
    let complaint = definition.check(r#"{"query": "x"}"#).expect_err("`task` is missing");
    assert_eq!(
        complaint.message(Lang::Zh),
        "工具调用验证失败: 缺少必需参数: ['task']; 无效参数: ['query']，有效参数: ['use_vision', 'task', 'max_steps']"
    );
    assert_eq!(
        complaint.message(Lang::En),
        "browser_use_execute_task: missing: task; unknown: query; valid: task, max_steps, use_vision"
    );
    let near = definition.check(r#"{"tsak": "x", "max_steps": "few"}"#).expect_err("misspelt");
    assert_eq!(
        near.message(Lang::Zh),
        "工具调用验证失败: 缺少必需参数: ['task']; 无效参数: ['tsak']，有效参数: ['use_vision', 'task', 'max_steps']; \
         参数类型错误: 'max_steps' 应为 integer，实际为 string \"few\"; 'tsak' 是否应为 'task'?"
    );
}

#[test]
fn a_server_or_a_tool_that_is_not_known_is_refused() {
    let shipped = Definitions::shipped();
    let refused = |server: &str, tool: &str| {
        let call = Call { server: server.to_owned(), tool: tool.to_owned(), arguments: super::Object::new(), line: 1 };
        shipped.check(&call).expect_err("unknown").to_string()
    };
    assert!(
        refused("browser_us", "browser_go_back").contains("unknown server `browser_us`, did you mean `browser_use`?")
    );
    assert!(
        refused("browser_use", "browser_goback")
            .contains("unknown tool `browser_goback` of `browser_use`, did you mean `browser_go_back`?")
    );
    assert!(refused("deepsearch", "browser_go_back").contains("; `browser_use` has one"));
}
