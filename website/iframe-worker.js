"use strict";
// A page opened from a folder may start no worker. There, a hidden frame runs what the worker of the search would run.
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.srcdoc = "<!DOCTYPE html><title>Search</title>";
      frame.onload = () => {
        const script = frame.contentDocument.createElement("script");
        frame.contentWindow.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", {data}));
        script.src = url;
        script.onload = () => {
          this.inner = frame.contentWindow;
          for (const data of this.waiting) this.postMessage(data);
        };
        frame.contentDocument.body.append(script);
      };
      document.body.append(frame);
    }
    postMessage(data) {
      if (this.inner) this.inner.dispatchEvent(new MessageEvent("message", {data}));
      else this.waiting.push(data);
    }
  };
