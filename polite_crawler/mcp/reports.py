"""Progress: in a task its status, in a call a notification. It holds counts alone, and no text of a page."""

from mcp.server.mcpserver import Context

from polite_crawler.mcp.tasks import current_task, progress_words


async def report(ctx: Context, done: int, total: int) -> None:
    """Tell how far a call is."""
    task = current_task.get()
    if task is not None:
        task.progress(done, total)
        return
    await ctx.report_progress(done, total, progress_words(done, total))
