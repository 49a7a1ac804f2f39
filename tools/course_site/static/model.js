// The address of the site, from the address of this script.
const ROOT = new URL("..", document.currentScript.src).href;

// The part of an anywidget model that the views use. In a notebook Python answers `send`; here
// `received` does.
class Model {
  constructor(view, received) {
    this.state = { view };
    this.received = received;
    this.listeners = new Map();
  }

  get(name) {
    return this.state[name];
  }

  set(name, value) {
    this.state[name] = value;
    for (const listener of this.listeners.get(`change:${name}`) ?? []) listener();
  }

  save_changes() {} // there is no other side to tell

  on(event, listener) {
    if (!this.listeners.has(event)) this.listeners.set(event, new Set());
    this.listeners.get(event).add(listener);
  }

  off(event, listener) {
    this.listeners.get(event)?.delete(listener);
  }

  send(message) {
    this.received(message);
  }
}
