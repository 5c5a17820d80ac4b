// Loaded before a Node MCP server: writes down what each request asks, as mcp_server.py does, and changes nothing.
// RECORD names the file.
const fs = require("node:fs");
const http = require("node:http");

const emit = http.Server.prototype.emit;
http.Server.prototype.emit = function (event, request, ...rest) {
  if (event === "request") listen(request);
  return emit.call(this, event, request, ...rest);
};

function listen(request) {
  const chunks = [];
  const push = request.push;
  request.push = function (chunk, ...rest) {
    if (chunk === null) write(request, Buffer.concat(chunks).toString());
    else chunks.push(Buffer.from(chunk));
    return push.call(this, chunk, ...rest);
  };
}

function write(request, body) {
  let asked = "-";
  if (body) {
    try {
      asked = JSON.parse(body).method ?? "?";
    } catch {
      asked = "?";
    }
  }
  fs.appendFileSync(process.env.RECORD, `${request.method} ${request.url.split("?")[0]} ${asked}\n`);
}
