//! MCP: the server for agents, and the client of other servers.

mod clients_of_others;
mod conformance;
mod content;
mod definitions;
mod exercise;
mod faulty_servers;
mod host_configs;
mod http;
mod http_connections;
mod httprunner_routes;
mod load;
mod round_trip;
mod search_tool;
mod servers_of_others;
mod stdio;
mod then_diff;
mod upright_server;
