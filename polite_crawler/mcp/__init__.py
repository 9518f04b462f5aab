"""The MCP server: tools over the store and the crawler that an assistant can trust."""
